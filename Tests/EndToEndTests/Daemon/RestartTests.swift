// A daemon that dies, and those who follow it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct RestartTests {
    @Test func `A subscriber hears exactly what changed while the daemon was away`() async throws {
        let daemon = try await TestDaemon { box in
            for name in ["kept", "written", "renamed", "removed", "replaced"] {
                try Change.write("1", to: box + "/" + name)
            }
        }
        let box = daemon.box
        let query = MetadataQuery(predicate: "", scopes: [.container("box")], socket: daemon.socket)
        try await query.start()
        var notifications = query.notifications.makeAsyncIterator()
        while let notification = try await notifications.next(), notification != .gathered {}
        let before = Dictionary(uniqueKeysWithValues: query.results.map { ($0.path ?? "", $0.id) })
        let watch = ChildProcess(.gather, ["watch", "", "--socket", daemon.socket.path])
        for _ in 0..<5 { _ = await watch.nextLine() }

        try await daemon.untilSaved()
        await daemon.kill()
        guard case .reconnecting? = try await notifications.next() else {
            Issue.record("not told that the daemon is gone")
            return
        }
        #expect(query.resultCount == 5)
        try Change.write("22", to: box + "/written")
        try Change.rename(box + "/renamed", box + "/other")
        try Change.remove(box + "/removed")
        try Change.write("new", to: daemon.directory + "/new")
        try Change.rename(daemon.directory + "/new", box + "/replaced")
        try Change.write("", to: box + "/added")
        try await daemon.restart()

        guard case .reconnected? = try await notifications.next() else {
            Issue.record("not told that the daemon is back")
            return
        }
        guard case .updated(let changes)? = try await notifications.next() else {
            Issue.record("not told what changed")
            return
        }
        #expect(changes.added.map(\.path) == [box + "/added"])
        #expect(changes.removed.map(\.path) == [box + "/removed"])
        #expect(Set(changes.changed.compactMap(\.path)) == [box + "/written", box + "/other", box + "/replaced"])
        // A file that was renamed or saved over while no daemon ran is still the same.
        for item in changes.changed {
            let former = item.previousPath ?? item.path ?? ""
            #expect(item.id == before[former], "\(former)")
        }
        #expect(changes.changed.first { $0.path == box + "/other" }?.previousPath == box + "/renamed")

        var lines: Set<String> = []
        for _ in 0..<5 { lines.insert(try #require(await watch.nextLine())) }
        #expect(
            lines == [
                "+ \(box)/added", "- \(box)/removed", "~ \(box)/written", "~ \(box)/replaced",
                "~ \(box)/renamed -> \(box)/other",
            ])

        // And it goes on.
        try Change.write("333", to: box + "/written")
        guard case .updated(let later)? = try await notifications.next() else {
            Issue.record("it does not go on")
            return
        }
        #expect(later.changed.map(\.path) == [box + "/written"])
        #expect(later.changed.map(\.id) == [before[box + "/written"]])
        watch.kill(SIGINT)
        let result = await watch.result()
        #expect(result.status == 130)
        #expect(result.errors.contains("waiting") && result.errors.contains("back"), "\(result.errors)")
    }

    @Test func `A connection that breaks goes on from its clock`() async throws {
        let daemon = try await TestDaemon()
        let query = MetadataQuery(predicate: "", socket: daemon.socket)
        try await query.start()
        let clock = try await {
            var notifications = query.notifications.makeAsyncIterator()
            while let notification = try await notifications.next(), notification != .gathered {}
            return try #require(query.clock)
        }()
        query.stop()
        try Change.write("", to: daemon.box + "/a")
        try await daemon.client.flush()
        let resumed = MetadataQuery(predicate: "", since: clock, socket: daemon.socket)
        try await resumed.start()
        var told: [QueryNotification] = []
        for try await notification in resumed.notifications {
            told.append(notification)
            if notification == .gathered { break }
        }
        #expect(told.first == .started(resumed: true))
        #expect(resumed.results.map(\.path) == [daemon.box + "/a"])
    }

    @Test func `The daemon ends cleanly when it is asked to`() async throws {
        let daemon = try await TestDaemon()
        let result = await daemon.terminate()
        #expect(result.status == 0, "\(result.errors)")
        #expect(access(daemon.socket.path, F_OK) != 0)
    }
}
