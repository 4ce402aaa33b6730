// Open documents beside the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

struct DocumentFollowingTests {
    private struct Text: DocumentContents {
        var text: String
        init(bytes: [UInt8]) throws { text = String(decoding: bytes, as: UTF8.self) }
        var bytes: [UInt8] { Array(text.utf8) }
    }

    private func document(_ daemon: TestDaemon, _ name: String) throws -> Document<Text> {
        try write("0", daemon.box + "/" + name)
        return Document<Text>(
            path: FilePath(daemon.box + "/" + name),
            options: DocumentOptions(
                autosaveInterval: .seconds(3_600), daemonTimeout: Patience.duration, daemon: daemon.client.daemon))
    }

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Returns when this change was told.
    private func wait(
        _ changes: inout AsyncStream<DocumentChange>.Iterator, for wanted: DocumentChange
    ) async throws {
        while let change = await changes.next(), change != wanted {}
        // A test whose time is over gets no more changes, and must not ask for ever.
        try Task.checkCancellation()
    }

    /// Returns when the document has loaded this text. A program that writes in place may be seen between two writes.
    private func wait(
        _ changes: inout AsyncStream<DocumentChange>.Iterator, for text: String, in document: Document<Text>
    ) async throws {
        while try await document.contents.text != text { try await wait(&changes, for: .reloaded) }
    }

    @Test func changesOfAnotherProgramAreLoaded() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        #expect(await document.following == .live)
        try write("1", daemon.box + "/a.txt")
        try await wait(&changes, for: "1", in: document)
        // With unsaved changes, another version is a conflict.
        var states = document.states.makeAsyncIterator()
        try await document.edit { $0.text = "mine" }
        try write("theirs", daemon.box + "/a.txt")
        while let state = await states.next(), !state.contains(.inConflict) {}
        #expect(try await document.contents.text == "mine")
        try await document.close()
        #expect(try FileVersion.conflicts(of: FilePath(daemon.box + "/a.txt")).count == 1)
    }

    private struct Album: PackageContents {
        var package: Package
        init(package: Package) { self.package = package }
        /// The text of a file; nil if another program has changed it since the package was loaded.
        func text(_ path: String) -> String? {
            (try? package[FilePath(path)]?.file?.contents()).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func aChangeDeepInAPackageIsLoaded() async throws {
        let daemon = try await TestDaemon { box in
            try FileManager.default.createDirectory(
                atPath: box + "/a.album/pages/first", withIntermediateDirectories: true)
            try Data("0".utf8).write(to: URL(filePath: box + "/a.album/pages/first/text"))
        }
        let path = daemon.box + "/a.album"
        let document = Document<Album>(
            path: FilePath(path),
            options: DocumentOptions(
                autosaveInterval: .seconds(3_600), daemonTimeout: Patience.duration, daemon: daemon.client.daemon))
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        for number in 1...3 {
            try write("\(number)", path + "/pages/first/text")
            while try await document.contents.text("pages/first/text") != "\(number)" {
                try await wait(&changes, for: .reloaded)
            }
        }
        // The package is followed under a new name.
        try FileManager.default.moveItem(atPath: path, toPath: daemon.box + "/b.album")
        try await wait(&changes, for: .moved(path: FilePath(daemon.box + "/b.album")))
        try write("4", daemon.box + "/b.album/pages/first/text")
        while try await document.contents.text("pages/first/text") != "4" { try await wait(&changes, for: .reloaded) }
        // Its own save is no change from outside.
        try await document.edit { try $0.package.set(Array("mine".utf8), at: "pages/second") }
        try await document.save()
        #expect(document.state == [])
        try await document.close()
        #expect(try String(contentsOfFile: daemon.box + "/b.album/pages/second", encoding: .utf8) == "mine")
    }

    @Test func aSaveKeepsTheItem() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        try await document.open()
        let before = try await daemon.client.find("name == 'a.txt'")
        for number in 1...5 {
            try await document.edit { $0.text = "\(number)" }
            try await document.save()
            let after = try await daemon.client.find("name == 'a.txt'")
            #expect(after.items.map(\.id) == before.items.map(\.id), "save \(number)")
        }
        #expect(try await daemon.client.find("").items.count == 1)
        #expect(await document.following == .live)
        #expect(document.state == [])
    }

    @Test func aSaveThatKeepsAConflictKeepsTheItem() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        try await document.open()
        let before = try await daemon.client.find("name == 'a.txt'").items.map(\.id)
        for number in 1...3 {
            let other = Document<Text>(
                path: FilePath(daemon.box + "/a.txt"), options: DocumentOptions(followsChanges: false))
            try await other.open()
            try await document.edit { $0.text = "mine \(number)" }
            try await other.edit { $0.text = "other \(number)" }
            try await other.close()
            try await document.save()
            #expect(try await daemon.client.find("name == 'a.txt'").items.map(\.id) == before, "save \(number)")
            let versions = try FileVersion.conflicts(of: FilePath(daemon.box + "/a.txt"))
            #expect(versions.count == number)
            #expect(
                try await daemon.client.find("name == 'a.txt'", attributes: [.links, .conflictVersions]).items.map {
                    [$0.links, $0.conflictVersions]
                } == [[1, Int64(number)]])
        }
        #expect(await document.path.string == daemon.box + "/a.txt")
        #expect(document.state == .inConflict)
    }

    @Test func aRenamedFileIsFollowed() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        mkdir(daemon.box + "/folder", 0o755)
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        #expect(rename(daemon.box + "/a.txt", daemon.box + "/folder/b.txt") == 0)
        try await wait(&changes, for: .moved(path: FilePath(daemon.box + "/folder/b.txt")))
        try await document.edit { $0.text = "1" }
        try await document.save()
        #expect(try String(contentsOfFile: daemon.box + "/folder/b.txt", encoding: .utf8) == "1")
        // A rename that was not told yet when the document is saved.
        #expect(rename(daemon.box + "/folder", daemon.box + "/other") == 0)
        try await document.edit { $0.text = "2" }
        try await document.save()
        #expect(try String(contentsOfFile: daemon.box + "/other/b.txt", encoding: .utf8) == "2")
        #expect(await document.path.string == daemon.box + "/other/b.txt")
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.box).sorted() == ["other"])
    }

    @Test func aDocumentInAPackageIsFollowed() async throws {
        let daemon = try await TestDaemon(containers: [])
        mkdir(daemon.box, 0o755)
        mkdir(daemon.box + "/list.gro", 0o755)
        _ = try await daemon.client.addContainer("box", path: daemon.box, packages: ["gro"])
        let document = try document(daemon, "list.gro/a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        try write("1", daemon.box + "/list.gro/a.txt")
        try await wait(&changes, for: "1", in: document)
    }

    /// Syncthing renames the file that lost, and puts the other in its place. A backup of an editor is made so, too.
    @Test(arguments: ["a.sync-conflict-20260101-000000-ABCDEFG.txt", "a.txt~"])
    func aDocumentStaysAtItsPathWhenItsFileMakesWay(other: String) async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        try write("new", daemon.box + "/b")
        #expect(rename(daemon.box + "/a.txt", daemon.box + "/" + other) == 0)
        #expect(rename(daemon.box + "/b", daemon.box + "/a.txt") == 0)
        try await wait(&changes, for: "new", in: document)
        #expect(await document.path.string == daemon.box + "/a.txt")
        try await document.edit { $0.text = "mine" }
        try await document.close()
        #expect(try String(contentsOfFile: daemon.box + "/a.txt", encoding: .utf8) == "mine")
        #expect(try String(contentsOfFile: daemon.box + "/" + other, encoding: .utf8) == "0")
    }

    @Test func aDocumentDoesNotFollowItsFileIntoTheTrash() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        let trash = Trash(container: FilePath(daemon.box))
        let item = try trash.move(FilePath(daemon.box + "/a.txt"))
        try await wait(&changes, for: .deleted)
        #expect(await document.path.string == daemon.box + "/a.txt")
        try trash.restore(item)
        try await wait(&changes, for: .restored)
        var states = document.states.makeAsyncIterator()
        while let state = await states.next(), state != [] {}
    }

    @Test func aRemovalIsToldAndARestoredFileIsFollowedAgain() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        #expect(rename(daemon.box + "/a.txt", daemon.directory + "/away") == 0)
        try await wait(&changes, for: .deleted)
        #expect(document.state == .deleted)
        #expect(rename(daemon.directory + "/away", daemon.box + "/a.txt") == 0)
        try await wait(&changes, for: .restored)
        try write("again", daemon.box + "/a.txt")
        try await wait(&changes, for: "again", in: document)
        var states = document.states.makeAsyncIterator()
        while let state = await states.next(), state != [] {}
    }

    @Test func conflictVersionsOfOtherMachinesAreTold() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var states = document.states.makeAsyncIterator()
        try await document.open()
        let version = daemon.box + "/a.sync-conflict-20260101-000000-ABCDEFG.txt"
        try write("other", version)
        while let state = await states.next(), state != .inConflict {}
        unlink(version)
        while let state = await states.next(), state != [] {}
    }

    @Test func withoutADaemonADocumentWorksAndSaysThatItHearsNothing() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        await daemon.kill()
        try await document.open()
        guard case .paused(let reason) = await document.following else {
            Issue.record("it follows without a daemon")
            return
        }
        #expect(!reason.isEmpty)
        try await document.edit { $0.text = "1" }
        try await document.save()
        #expect(try String(contentsOfFile: daemon.box + "/a.txt", encoding: .utf8) == "1")
        // The daemon comes, and the document hears of changes.
        var changes = document.changes.makeAsyncIterator()
        try await daemon.restart()
        try await wait(&changes, for: .following(.live))
        try write("2", daemon.box + "/a.txt")
        try await wait(&changes, for: "2", in: document)
        try await document.close()
        #expect(await document.following == .off)
    }

    @Test func aDaemonThatDoesNotAnswerHoldsNothingUp() async throws {
        let daemon = try await TestDaemon()
        try write("0", daemon.box + "/a.txt")
        daemon.stop()
        let document = Document<Text>(
            path: FilePath(daemon.box + "/a.txt"),
            options: DocumentOptions(daemonTimeout: .milliseconds(50), daemon: daemon.client.daemon))
        try await document.open()
        #expect(await document.following == .paused(reason: "gatherd does not answer"))
        try await document.edit { $0.text = "1" }
        try await document.close()
        #expect(try String(contentsOfFile: daemon.box + "/a.txt", encoding: .utf8) == "1")
        daemon.resume()
    }

    @Test func aDaemonThatRestartsInterruptsNothing() async throws {
        let daemon = try await TestDaemon()
        let document = try document(daemon, "a.txt")
        var changes = document.changes.makeAsyncIterator()
        try await document.open()
        await daemon.kill()
        try write("while away", daemon.box + "/a.txt")
        try await daemon.restart()
        try await wait(&changes, for: "while away", in: document)
    }
}
