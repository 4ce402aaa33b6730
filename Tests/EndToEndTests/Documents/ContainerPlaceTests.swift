// The place of an application's files while its container comes and goes.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import TestSupport
import Testing

struct ContainerPlaceTests {
    private struct Note: DocumentContents {
        var text: String
        init(bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }
        var bytes: [UInt8] { Array(text.utf8) }
    }

    @Test func thePlaceFollowsTheContainer() async throws {
        let daemon = try await TestDaemon()
        let folder = daemon.directory + "/local"
        var places = ContainerPlace.changes(of: "box", daemon: daemon.client.daemon, local: FilePath(folder))
            .makeAsyncIterator()
        guard case .container(let container) = try await places.next() else {
            Issue.record("the container is there")
            return
        }
        #expect(container.data.string == daemon.box)
        // The container is lost.
        try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.directory + "/away")
        guard case .local(let local, let reason) = try await places.next() else {
            Issue.record("the container is gone")
            return
        }
        #expect(local.data.string == folder + "/box")
        #expect(reason.contains("'box' is not available"))
        #expect(
            try await ContainerPlace.current("box", daemon: daemon.client.daemon, local: FilePath(folder)).files.data
                == local.data)
        let path = "\(try local.folder(["Documents"]))/note.txt"
        try Data("written meanwhile".utf8).write(to: URL(filePath: path))
        // It comes back.
        try FileManager.default.moveItem(atPath: daemon.directory + "/away", toPath: daemon.box)
        guard case .container(let again) = try await places.next() else {
            Issue.record("the container is back")
            return
        }
        #expect(try await local.move(into: again).left == [])
        #expect(try again.entries().map(\.name) == ["note.txt"])
        #expect(try local.entries() == [])
    }

    @Test func withoutADaemonAKnownContainerStays() async throws {
        let daemon = try await TestDaemon()
        let folder = daemon.directory + "/local"
        var places = ContainerPlace.changes(of: "box", daemon: daemon.client.daemon, local: FilePath(folder))
            .makeAsyncIterator()
        let first = try await places.next()
        await daemon.kill()
        // Only the daemon knows where the container is.
        let place = try await ContainerPlace.current("box", daemon: daemon.client.daemon, local: FilePath(folder))
        #expect(place.files.data.string == folder + "/box")
        // The sequence has seen it, so it says nothing of the daemon's end.
        try await daemon.restart()
        try FileManager.default.removeItem(atPath: daemon.box)
        let next = try await places.next()
        #expect(first?.files.data.string == daemon.box)
        #expect(next?.files.data.string == folder + "/box")
        // An identifier that the daemon does not have.
        guard
            case .local(_, let reason) = try await ContainerPlace.current(
                "other", daemon: daemon.client.daemon, local: FilePath(folder))
        else {
            Issue.record("there is no such container")
            return
        }
        #expect(reason.contains("other"))
    }

    /// Another disk comes to the path of a container with a mark, and is accepted.
    @Test func anotherDirectoryIsNoPlace() async throws {
        let daemon = try await TestDaemon()
        let (folder, mark) = (daemon.directory + "/local", String(repeating: "0123456789abcdef", count: 2))
        try Change.directory(daemon.box + "/.gather")
        try Change.write(mark, to: daemon.box + "/.gather/container")
        try Change.write("own", to: daemon.box + "/note.txt")
        try Change.directory(daemon.directory + "/other")
        try Change.write("foreign", to: daemon.directory + "/other/note.txt")
        let identifier = ContainerIdentifier("box")
        var places = ContainerPlace.changes(of: identifier, daemon: daemon.client.daemon, local: FilePath(folder))
            .makeAsyncIterator()
        var identities = ContainerIdentities(identifier: identifier, daemon: daemon.client.daemon).makeAsyncIterator()
        guard case .container(let container) = try await places.next() else {
            Issue.record("the container is there")
            return
        }
        while try await identities.next() != .some(.some(ContainerIdentity(rawValue: mark))) {}
        #expect(try await container.status().identity?.rawValue == mark)
        let document = Document<Note>(
            path: container.data.appending("note.txt"),
            options: DocumentOptions(
                autosaveInterval: .seconds(3_600), daemon: daemon.client.daemon))
        try await document.open()
        try await document.edit { $0.text = "mine" }

        try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.directory + "/away")
        try FileManager.default.moveItem(atPath: daemon.directory + "/other", toPath: daemon.box)
        var reason = ""
        while !reason.contains("another directory is at its path") {
            guard case .local(_, let why) = try await places.next() else {
                Issue.record("the container is another one")
                return
            }
            reason = why
        }
        let identity = try await identities.next()
        #expect(identity == .some(nil))
        // The daemon knows the container by its mark all the while.
        #expect(try await container.status().identity?.rawValue == mark)
        let error = await #expect(throws: DocumentError.self) { try await document.save() }
        #expect(error?.code == .anotherContainer)
        #expect(try String(contentsOfFile: daemon.box + "/note.txt", encoding: .utf8) == "foreign")

        #expect(await daemon.gather("container", "accept", "box").status == 0)
        guard case .container = try await places.next() else {
            Issue.record("the directory was accepted")
            return
        }
        // The other file was never seen, so it is kept beside as a version.
        try await document.save()
        #expect(try String(contentsOfFile: daemon.box + "/note.txt", encoding: .utf8) == "mine")
        #expect(try await document.conflictVersions().count == 1)
        try await document.close()
    }

    /// The daemon judges a copy, and programs that run all the while go by that.
    @Test func anAcceptedCopyIsThePlace() async throws {
        let daemon = try await TestDaemon()
        try Change.directory(daemon.box + "/.gather")
        try Change.write(String(repeating: "0123456789abcdef", count: 2), to: daemon.box + "/.gather/container")
        let container = try await Container(identifier: "box", daemon: daemon.client.daemon)
        _ = try container.folder(["Documents"])
        let store = try await KeyValueStore(container: container)
        store.setIfFree(1)
        try await store.synchronize()
        try FileManager.default.copyItem(atPath: daemon.box, toPath: daemon.directory + "/copy")
        try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.directory + "/away")
        try FileManager.default.moveItem(atPath: daemon.directory + "/copy", toPath: daemon.box)
        _ = await daemon.gather("find", "name == 'box'")
        if try await container.status().state == .unavailable {
            #expect(throws: DocumentError.self) { try container.folder(["Documents", "New"]) }
            #expect(await daemon.gather("container", "accept", "box").status == 0)
        }
        // Asked for anew, as programs do that follow it.
        let again = try await Container(identifier: "box", daemon: daemon.client.daemon)
        _ = try again.folder(["Documents", "New"])
        store.setIfFree(2)
        try await store.close()
    }

    /// Without its mark the directory is the container all the same, also for a program that starts then.
    @Test func aContainerThatLostItsMarkStays() async throws {
        let daemon = try await TestDaemon()
        try Change.directory(daemon.box + "/.gather")
        try Change.write(String(repeating: "0123456789abcdef", count: 2), to: daemon.box + "/.gather/container")
        while try await daemon.client.container("box").identity == nil {}
        try FileManager.default.removeItem(atPath: daemon.box + "/.gather/container")
        let container = try await Container(identifier: "box", daemon: daemon.client.daemon)
        if try await container.status().state != .unavailable { _ = try container.folder(["Documents"]) }
    }
}

extension KeyValueStore {
    fileprivate func setIfFree(_ value: Int64) {
        #expect(throws: Never.self) { try set(.integer(value), forKey: "key") }
    }
}
