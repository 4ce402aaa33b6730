// The files that killed processes left beside their documents.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@testable import SaveFiles

struct LeftSaveTests {
    private static let left = ".syncthing.gather-a.txt.tmp"
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func complete(_ document: String = "a.txt", isEvicted: Bool = false) throws -> LeftSave.Outcome? {
        try LeftSave.attempt(
            Array(document.utf8), inFolder: Array(folder.path.utf8), device: "CCCCCCC", isEvicted: isEvicted)
    }

    private func version(_ outcome: LeftSave.Outcome?) -> String? {
        guard case .version(let name) = outcome else { return nil }
        return String(decoding: name.bytes, as: UTF8.self)
    }

    @Test func aDocumentWhoseFirstSaveWasKilledIsThere() throws {
        try folder.write("left", Self.left)
        #expect(try complete() == .document)
        #expect(try folder.contents == ["a.txt": "left"])
        #expect(try complete() == LeftSave.Outcome.none)
    }

    @Test func anotherVersionIsKept() throws {
        try folder.write("current", "a.txt")
        try folder.write("left", Self.left, modified: 1_000_000_000)
        // The name follows from the contents: the helper and a program that opens the document make one version.
        let name = "a.sync-conflict-20010909-014640-QFHIARW.txt"
        #expect(version(try complete()) == name)
        #expect(try folder.contents == ["a.txt": "current", name: "left"])
        // The same version again.
        try folder.write("left", Self.left, modified: 1_000_000_000)
        #expect(try complete() == .known)
        #expect(try folder.contents == ["a.txt": "current", name: "left"])
    }

    @Test func contentsThatTheDocumentHasAreNotKept() throws {
        try folder.write("same", "a.txt")
        try folder.write("same", Self.left)
        #expect(try complete() == .known)
        #expect(try folder.contents == ["a.txt": "same"])
    }

    /// The helper once made a second version of contents that a version of another name had.
    @Test func contentsThatAVersionHasAreNotKeptAgain() throws {
        let name = "a.sync-conflict-20260101-000000-BBBBBBB.txt"
        try folder.write("current", "a.txt")
        try folder.write("left", name)
        try folder.write("left", Self.left, modified: 1_000_000_000)
        #expect(try complete() == .known)
        #expect(try folder.contents == ["a.txt": "current", name: "left"])
        // Those of another document are none.
        try folder.write("left too", "b.sync-conflict-20260101-000000-BBBBBBB.txt")
        try folder.write("left too", Self.left)
        #expect(version(try complete()) != nil)
    }

    /// The helper once removed the file where the name of its version was taken, whatever that had.
    @Test func anEntryWithTheNameOfTheVersionIsNotTakenForIt() throws {
        let name = "a.sync-conflict-20010909-014640-QFHIARW.txt"
        try folder.write("current", "a.txt")
        try folder.write("edited since", name)
        try folder.write("left", Self.left, modified: 1_000_000_000)
        let other = try #require(version(try complete()))
        #expect(ConflictName(other)?.device == "CCCCCCC")
        #expect(try folder.contents == ["a.txt": "current", name: "edited since", other: "left"])
    }

    /// A program that opened the document once gave the file its name. It may be older than the version on other devices.
    @Test func theNameOfAnEvictedDocumentStaysFree() throws {
        try folder.write("left", Self.left)
        let name = try #require(version(try complete(isEvicted: true)))
        #expect(try folder.contents == [name: "left"])
        // The document has come back, with the same contents.
        try folder.remove(name)
        try folder.write("left", "a.txt")
        try folder.write("left", Self.left)
        #expect(try complete(isEvicted: true) == .known)
        #expect(try folder.contents == ["a.txt": "left"])
    }

    /// A program could once neither open nor save a document beside such a file.
    @Test func aDocumentOfAnotherKindKeepsItsName() throws {
        #expect(mkdir(folder.path + "/a.txt", 0o755) == 0)
        try folder.write("left", Self.left)
        let name = try #require(version(try complete()))
        #expect(try folder.names == [name, "a.txt"].sorted())
        #expect(try folder.read(name) == "left")
        try folder.remove("a.txt")
        // The target of a link is no version, whatever it has.
        #expect(symlink(name, folder.path + "/a.txt") == 0)
        try folder.remove(name)
        try folder.write("target", "target")
        #expect(symlink("target", folder.path + "/" + name) == 0)
        try folder.write("target", Self.left)
        #expect(version(try complete()) != nil)
        #expect(try folder.read("target") == "target")
    }

    @Test func aFileThatThisUserCannotReadIsKept() throws {
        try folder.write("current", "a.txt")
        try folder.write("left", Self.left)
        chmod(folder.path + "/" + Self.left, 0)
        let name = try #require(version(try complete()))
        chmod(folder.path + "/" + name, 0o600)
        #expect(try folder.contents == ["a.txt": "current", name: "left"])
    }

    /// A document that cannot be read is another one.
    @Test func aDocumentThatThisUserCannotReadIsNotTouched() throws {
        try folder.write("left", "a.txt")
        try folder.write("left", Self.left)
        chmod(folder.path + "/a.txt", 0)
        // Root can read it.
        let isReadable = access(folder.path + "/a.txt", R_OK) == 0
        let outcome = try complete()
        chmod(folder.path + "/a.txt", 0o600)
        #expect(isReadable ? outcome == .known : version(outcome) != nil)
        #expect(try Set(folder.contents.values) == ["left"])
    }

    /// A process that was killed between the two calls left both names.
    @Test func aVersionWithTwoNamesLosesTheFirst() throws {
        let name = "a.sync-conflict-20260101-000000-BBBBBBB.txt"
        try folder.write("current", "a.txt")
        try folder.write("left", Self.left)
        #expect(link(folder.path + "/" + Self.left, folder.path + "/" + name) == 0)
        chmod(folder.path + "/" + name, 0)
        #expect(try complete() == .known)
        chmod(folder.path + "/" + name, 0o600)
        #expect(try folder.contents == ["a.txt": "current", name: "left"])
    }

    @Test func aLargeFileIsComparedInPieces() throws {
        let text = String(repeating: "0123456789", count: 20_000)
        try folder.write(text + "a", "a.txt")
        try folder.write(text + "b", Self.left)
        let name = try #require(version(try complete()))
        #expect(try folder.read(name) == text + "b")
        try folder.write(text + "a", Self.left)
        #expect(try complete() == .known)
    }

    @Test func aFileWhoseDocumentCanHaveNoVersionStays() throws {
        let document = String(repeating: "x", count: ConflictName.longestOriginal + 1)
        try folder.write("current", document)
        try folder.write("left", ".syncthing.gather-\(document).tmp")
        #expect(throws: SystemError.nameTooLong) { try complete(document) }
        #expect(try folder.contents.count == 2)
    }

    @Test func aSaveThatIsUnderWayIsLeftAlone() throws {
        try folder.write("new", Self.left)
        // Where other users may read the folder, its lock is that of a file.
        chmod(folder.path, 0o755)
        let directory = try Directory.open(folder.path, access: .reading)
        var lock = try directory.lockDirectory()
        #expect(lock != nil)
        #expect(try complete() == nil)
        #expect(try folder.read(Self.left) == "new")
        lock = nil
        #expect(try complete() == .document)
        #expect(try folder.contents == ["a.txt": "new"])
    }

    @Test(arguments: [
        "a.txt", ".syncthing.a.txt.tmp", ".syncthing.gather-..tmp", ".syncthing.gather-...tmp",
        ".syncthing.gather-.tmp",
        ".syncthing.gather-.syncthing.x.tmp", ".syncthing.gather-~syncthing~x.tmp",
        ".syncthing.gather-a.sync-conflict-20260101-000000-ABCDEFG.tmp", ".syncthing.gather.part-a.tmp",
        ".syncthing.gather.old-a.tmp", ".syncthing.gather.evict-ff216d.tmp", ".syncthing.gather.lock.tmp",
        ".syncthing.gather.save.tmp",
    ])
    func otherFilesAreLeftAlone(name: String) {
        #expect(LeftSave.document(of: Array(name.utf8)) == nil)
    }

    @Test func aNameNeedNotBeText() {
        let document: [UInt8] = [0xFF, 0x2E, 0x61]
        #expect(LeftSave.document(of: SaveName.complete.of(document)) == document)
    }

    @Test func anEntryOfAnotherKindIsNoSave() throws {
        try folder.write("current", "a.txt")
        #expect(symlink("a.txt", folder.path + "/" + Self.left) == 0)
        #expect(try complete() == LeftSave.Outcome.none)
        #expect(try folder.names == [Self.left, "a.txt"])
    }
}
