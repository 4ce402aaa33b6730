// Whether a file is the one that it was.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import Testing

@testable import SaveFiles

struct FileStampTests {
    private func stamp(_ folder: TestFolder, _ name: String) throws -> FileStamp {
        FileStamp(try EntryStatus(of: folder.path + "/" + name, in: Entry.workingDirectory))
    }

    @Test func aReplacedFileIsAnother() throws {
        let folder = try TestFolder()
        #expect(FileStamp(following: folder.path + "/a") == nil)
        try folder.write("a", "a")
        let first = try stamp(folder, "a")
        #expect(FileStamp(following: folder.path + "/a") == first)
        try folder.write("a", "b")
        try Entry.rename(folder.path + "/b", to: folder.path + "/a")
        let second = try stamp(folder, "a")
        #expect(first != second && !second.isSameFile(as: first) && !second.hasSameContents(as: first))
    }

    @Test func aRenamedFileHasTheSameContents() throws {
        let folder = try TestFolder()
        try folder.write("a", "a", modified: 1_000_000_000)
        let first = try stamp(folder, "a")
        #expect(first.isContentSettled)
        #expect(first.modifiedTime == Timestamp(seconds: 1_000_000_000, nanoseconds: 0))
        try Entry.rename(folder.path + "/a", to: folder.path + "/b")
        #expect(try stamp(folder, "b").hasSameContents(as: first))
        #expect(symlink("b", folder.path + "/link") == 0)
        #expect(FileStamp(following: folder.path + "/link")?.isSameFile(as: first) == true)
        try folder.write("other", "b", modified: 1_000_000_000)
        let written = try stamp(folder, "b")
        #expect(written.isSameFile(as: first) && !written.hasSameContents(as: first))
    }

    @Test func aFileThatChangedJustNowMayChangeUnnoticed() throws {
        let folder = try TestFolder()
        // A time in the future is never an old one.
        try folder.write("a", "a", modified: 10_000_000_000)
        #expect(!(try stamp(folder, "a").isContentSettled))
        try folder.write("a", "a", modified: 1)
        #expect(try stamp(folder, "a").isContentSettled)
    }
}
