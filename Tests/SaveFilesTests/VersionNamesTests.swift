// The names of new conflict versions, and hashes in names.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import Testing

@testable import SaveFiles

struct VersionNamesTests {
    @Test func eachSecondOfADayHasAName() throws {
        let names = VersionNames(of: Array("a.txt".utf8), device: "ABCDEFG")
        let some = Array(names.prefix(100))
        #expect(Set(some.map(\.bytes)).count == 100)
        #expect(some.first == names.first)
        #expect(some.allSatisfy { $0.original == Array("a.txt".utf8) && $0.device == "ABCDEFG" })
        #expect(zip(some, some.dropFirst()).allSatisfy { $0.date < $1.date || $0.time > $1.time })
        #expect(names.reduce(0) { count, _ in count + 1 } == 86_400)
    }

    @Test func aVersionOfAVersionBelongsToTheFile() throws {
        let name = Array("a.sync-conflict-20260101-000000-BBBBBBB.txt".utf8)
        #expect(VersionNames(of: name, device: "ABCDEFG").first?.original == Array("a.txt".utf8))
    }

    @Test func aNameThatIsTooLongHasNone() {
        let name = [UInt8](repeating: 97, count: ConflictName.longestOriginal + 1)
        #expect(VersionNames(of: name, device: "ABCDEFG").first == nil)
        #expect(VersionNames(of: Array(name.dropLast()), device: "ABCDEFG").first != nil)
    }

    // Other devices, and earlier versions of Gather, have made files with these names.
    @Test func aClaimedNameFollowsFromTimeAndContents() throws {
        let folder = try TestFolder()
        try folder.write("left", "x", modified: 1_000_000_000)
        let path = folder.path + "/x"
        let expected = "a.sync-conflict-20010909-014640-QFHIARW.txt"
        let other = "a.sync-conflict-20260101-000000-BBBBBBB.txt"
        #expect(ClaimedName.of(path, named: other) == expected)
        #expect(ClaimedName.of(path, named: "a.txt") == nil)
        #expect(ClaimedName.of(folder.path + "/none", named: other) == nil)
        try folder.write("left", expected, modified: 1_000_000_000)
        try folder.write("left", other, modified: 1_000_000_000)
        #expect(ClaimedName.isLike(folder.path + "/" + expected))
        #expect(!ClaimedName.isLike(folder.path + "/" + other))
        let file = try Entry.openForReading(path)
        #expect(ClaimedName.of(file, version: Array("a.txt".utf8))?.bytes == Array(expected.utf8))
    }

    @Test(arguments: [
        ("", 0xF52A_15E9_A9B5_E89B as UInt64, "f52a15e9a9b5e89b"), ("a", 0x02C0_BDBF_4814_20F8, "02c0bdbf481420f8"),
        ("foobar", 0x404D_A9E3_B740_78C2, "404da9e3b74078c2"),
    ])
    func stableHashesAreThoseOfAllVersions(_ text: String, _ hash: UInt64, _ digits: String) {
        #expect(StableHash.value(of: text.utf8) == hash)
        #expect(StableHash.text(of: text.utf8) == digits)
    }

    // Targets below Metadata cannot use its names, so they have names of their own.
    @Test func theLockFileIsATemporaryFileOfSyncthing() {
        #expect(SyncthingName.isTemporary(DirectoryLockFile.name.utf8))
        #expect(SaveName.complete.document(of: Array(DirectoryLockFile.name.utf8)) == nil)
    }
}
