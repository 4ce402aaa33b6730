// A daemon that was started again and has not seen its tree yet: its answers from the saved state, and its updates then.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing

@testable import GatherService

@Suite(.needsRoot("fanotify", if: HeldDirectory.isAllowed))
struct VerifyingTests {
    private func container(_ daemon: DaemonFixture) async throws -> ContainerDescription? {
        try await daemon.call(ContainerInterface.List.self, .init()).containers.first
    }

    private func found(
        _ daemon: DaemonFixture, sync: Bool = false, timeout: Int64? = nil, as user: OtherUser? = nil
    ) async throws -> (names: [String], inexact: [String]?) {
        let reply = try await daemon.call(
            QueryInterface.Find.self,
            .init(predicate: "kind == 'file'", attributes: ["name"], sync: sync, timeout: timeout), as: user)
        return (reply.items.compactMap(\.name).sorted(), reply.inexact)
    }

    @Test func `Until the tree is compared, the saved state is the answer, and differences are told then`() async throws
    {
        let directory = try TemporaryDirectory()
        for name in ["kept", "gone", "d/below"] { try directory.write("", to: "tree/" + name) }
        let everything = QueryInterface.Watch.Request(predicate: "kind == 'file'", attributes: ["path"])
        var (clock, items): (String?, [String: String]) = (nil, [:])
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, everything)
            try await subscriber.gather()
            (clock, items) = (subscriber.lastClock, subscriber.items)
            await subscriber.close()
        }
        #expect(items.count == 3)
        try directory.write("", to: "tree/new")
        #expect(unlink(directory.path + "/tree/gone") == 0)
        let held = try HeldDirectory(directory.path + "/tree")
        var isHeld = true
        defer { if isHeld { held.letGo() } }
        try await DaemonFixture.run(directory: directory) { daemon in
            defer {
                // The daemon does not end before its threads do.
                if isHeld { held.letGo() }
                isHeld = false
            }
            try await held.someoneWaits()
            var state = try await container(daemon)?.state
            #expect(state == .verifying)
            let saved = try await found(daemon)
            #expect(saved.names == ["below", "gone", "kept"] && saved.inexact == ["tree"])
            let count = try await daemon.call(
                QueryInterface.Count.self, .init(predicate: "kind == 'file'", sync: false))
            #expect(count.count == 3)
            // A caller that wants an exact answer waits for that, as long as its timeout says.
            await #expect {
                _ = try await found(daemon, sync: true, timeout: 1)
            } throws: { error in
                "\(error)".contains("SyncTimeout") && "\(error)".contains("\"tree\"")
            }
            var request = everything
            request.since = clock
            let subscriber = try await Subscriber(daemon, request, holding: items)
            state = try await container(daemon)?.state
            #expect(state == .verifying)

            held.letGo()
            isHeld = false
            let exact = try await found(daemon, sync: true)
            #expect(exact.names == ["below", "kept", "new"] && exact.inexact == nil)
            state = try await container(daemon)?.state
            #expect(state == .live)
            let started = try await subscriber.next()
            #expect(started.event == .started && started.fresh != true)
            var (added, removed) = (0, 0)
            while true {
                let reply = try await subscriber.next()
                added += reply.added?.count ?? 0
                removed += reply.removed?.count ?? 0
                #expect(reply.changed == nil)
                if reply.event == .gathered { break }
            }
            #expect(added == 1 && removed == 1 && subscriber.violations.isEmpty)
            #expect(Set(subscriber.items.values) == Set(["kept", "new", "d/below"].map { daemon.tree + "/" + $0 }))
            await subscriber.close()
        }
    }

    /// The items that they saw then may be closed to them by now.
    @Test(.needsRoot("other users")) func `Other users see nothing until then`() async throws {
        let user = OtherUser(user: 41_031, group: 42_031)
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/one")
        for path in [directory.path, directory.path + "/tree"] { #expect(chmod(path, 0o755) == 0) }
        try await DaemonFixture.run(directory: directory, isSystem: true) { daemon in
            #expect(chmod(daemon.socket, 0o666) == 0)
            let seen = try await found(daemon, sync: true, as: user)
            #expect(seen.names == ["one"])
        }
        let held = try HeldDirectory(directory.path + "/tree")
        var isHeld = true
        defer { if isHeld { held.letGo() } }
        try await DaemonFixture.run(directory: directory, isSystem: true) { daemon in
            defer {
                if isHeld { held.letGo() }
                isHeld = false
            }
            #expect(chmod(daemon.socket, 0o666) == 0)
            try await held.someoneWaits()
            let own = try await found(daemon)
            #expect(own.names == ["one"])
            var seen = try await found(daemon, as: user)
            #expect(seen.names == [])
            held.letGo()
            isHeld = false
            seen = try await found(daemon, sync: true, as: user)
            #expect(seen.names == ["one"])
        }
    }
}
