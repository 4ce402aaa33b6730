// Replacing files in one step.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@testable import SaveFiles

struct FileReplacementTests {
    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test(arguments: [FileReplacement.Temporary.named("a.new"), .random])
    func aReaderHasTheOldContentsOrTheNewOnes(_ temporary: FileReplacement.Temporary) throws {
        let folder = try TestFolder()
        let path = folder.path + "/a"
        try FileReplacement.replace(path, through: temporary, with: Array("one".utf8))
        #expect(mode(path) == S_IFREG | 0o600)
        let reader = try Entry.openForReading(path)
        var atRename = ""
        try FileReplacement.replace(path, through: temporary) { () throws(SystemError) in
            atRename = (try? folder.read("a")) ?? ""
        } fill: { file throws(SystemError) in
            try file.writeAll(Array("two!".utf8))
            try file.setMode(0o644)
        }
        #expect(atRename == "one")
        #expect(try folder.contents == ["a": "two!"])
        #expect(mode(path) == S_IFREG | 0o644)
        #expect(try FileBytes.read(reader, limit: 10) == Array("one".utf8))
    }

    @Test(arguments: [FileReplacement.Temporary.named("a.new"), .random])
    func aFailureLeavesTheOldFileAlone(_ temporary: FileReplacement.Temporary) throws {
        let folder = try TestFolder()
        try folder.write("old", "a")
        let directory = try Directory.open(folder.path, access: .reading)
        #expect(throws: SystemError.noSpace) {
            try FileReplacement.replace("a", in: directory.number, through: temporary) { file throws(SystemError) in
                try file.writeAll(Array("half".utf8))
                throw .noSpace
            }
        }
        #expect(throws: SystemError.readOnly) {
            try FileReplacement.replace("a", in: directory.number, through: temporary) { () throws(SystemError) in
                throw .readOnly
            } fill: { _ in
            }
        }
        #expect(try folder.contents == ["a": "old"])
        #expect(throws: SystemError.noEntry) {
            try FileReplacement.replace(folder.path + "/none/a", through: temporary, with: [])
        }
    }

    /// A killed process leaves its file, and another user may put one there, or a link.
    @Test func aFileUnderTheTemporaryNameGetsNoneOfTheContents() throws {
        let folder = try TestFolder()
        try folder.write("other's", "other")
        #expect(link(folder.path + "/other", folder.path + "/a.new") == 0)
        try FileReplacement.replace(folder.path + "/a", through: .named("a.new"), with: Array("secret".utf8))
        #expect(try folder.contents == ["a": "secret", "other": "other's"])
        #expect(symlink("other", folder.path + "/a.new") == 0)
        try FileReplacement.replace(folder.path + "/a", through: .named("a.new"), with: Array("again".utf8))
        #expect(try folder.contents == ["a": "again", "other": "other's"])
        try folder.write("left by a killed process", "a.new")
        try FileReplacement.replace(folder.path + "/a", through: .named("a.new"), with: Array("more".utf8))
        #expect(try folder.contents == ["a": "more", "other": "other's"])
    }
}
