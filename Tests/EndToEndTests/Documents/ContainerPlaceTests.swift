// The place of an application's files while its container comes and goes.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Testing

struct ContainerPlaceTests {
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
}
