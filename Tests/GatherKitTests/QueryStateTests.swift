// The state machine of a live query, event by event.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherKit

struct QueryStateTests {
    private let milk = PlayedFile(id: "a", path: "/c/milk", inode: 1)
    private let bread = PlayedFile(id: "b", path: "/c/bread", inode: 2)
    private let loss = GatherError(code: .connectionLost, message: "gone")

    /// A query that has gathered `files`, and a reader that has heard nothing yet.
    private func gathered(_ files: [PlayedFile], since clock: DaemonClock? = nil) -> (QueryState, UInt64) {
        var state = QueryState(configuration: .everything(since: clock))
        state.start(.everything(since: clock))
        let reader = state.addReader()
        _ = state.beginCall()
        state.receive(.started(fresh: clock == nil))
        if !files.isEmpty { state.receive(.progress(QueryChanges(added: files.map { $0.item() }))) }
        state.receive(.gathered(clock: "1"))
        return (state, reader)
    }

    private func drain(_ state: inout QueryState, _ reader: UInt64) -> [QueryNotification] {
        var notifications: [QueryNotification] = []
        while let notification = state.next(for: reader) { notifications.append(notification) }
        return notifications
    }

    @Test func `The order is started, progress, gathered, updated`() {
        var (state, reader) = gathered([milk])
        state.receive(.updated(QueryChanges(added: [bread.item()]), clock: "2"))
        #expect(
            drain(&state, reader) == [
                .started(resumed: false), .progress(QueryChanges(added: [milk.item()])), .gathered,
                .updated(QueryChanges(added: [bread.item()])),
            ])
        #expect(state.visibleClock == "2")
    }

    @Test func `Nothing is told before the daemon accepts`() {
        var state = QueryState(configuration: .everything())
        state.start(.everything())
        let reader = state.addReader()
        #expect(drain(&state, reader).isEmpty)
    }

    @Test func `A slow reader hears one update for all that changed`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        var moved = milk
        moved.path = "/c/oat milk"
        state.receive(.updated(QueryChanges(added: [bread.item()]), clock: "2"))
        state.receive(.updated(QueryChanges(changed: [moved.item(previousPath: milk.path)]), clock: "3"))
        state.receive(.updated(QueryChanges(removed: [bread.removal]), clock: "4"))
        #expect(drain(&state, reader) == [.updated(QueryChanges(changed: [moved.item(previousPath: milk.path)]))])
    }

    @Test func `Frozen results hold still, and thaw into one update`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        state.freeze()
        state.freeze()
        state.receive(.updated(QueryChanges(added: [bread.item()]), clock: "2"))
        state.receive(.updated(QueryChanges(removed: [milk.removal]), clock: "3"))
        state.thaw()
        #expect(drain(&state, reader).isEmpty)
        #expect(state.visibleResults.items.map(\.id) == ["a"])
        #expect(state.visibleClock == "1")
        state.thaw()
        #expect(
            drain(&state, reader) == [
                .updated(QueryChanges(added: [bread.item()], removed: [milk.removal]))
            ])
        #expect(state.visibleResults.items.map(\.id) == ["b"])
        #expect(state.visibleClock == "3")
    }

    @Test func `A surplus thaw does nothing`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        state.thaw()
        state.freeze()
        state.receive(.updated(QueryChanges(added: [bread.item()]), clock: "2"))
        #expect(drain(&state, reader).isEmpty)
    }

    @Test func `A query that freezes before it gathers tells its story at the thaw`() {
        var state = QueryState(configuration: .everything())
        state.start(.everything())
        let reader = state.addReader()
        state.freeze()
        _ = state.beginCall()
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [milk.item()])))
        state.receive(.gathered(clock: "1"))
        let late = state.addReader()
        #expect(drain(&state, reader).isEmpty)
        #expect(state.visibleResults.count == 0)
        state.thaw()
        let story: [QueryNotification] = [
            .started(resumed: false), .progress(QueryChanges(added: [milk.item()])), .gathered,
        ]
        #expect(drain(&state, reader) == story)
        #expect(drain(&state, late) == story)
    }

    @Test func `A reader that comes late hears the whole story, condensed`() {
        var (state, _) = gathered([milk])
        state.receive(.updated(QueryChanges(added: [bread.item()], removed: [milk.removal]), clock: "2"))
        let late = state.addReader()
        #expect(
            drain(&state, late) == [
                .started(resumed: false), .progress(QueryChanges(added: [bread.item()])), .gathered,
            ])
    }

    @Test func `A daemon that knows the clock tells the difference itself`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        state.loseConnection(loss)
        #expect(drain(&state, reader) == [.reconnecting(loss)])
        #expect(state.visibleResults.count == 1)
        #expect(state.beginCall() == "1")
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [bread.item()])))
        #expect(drain(&state, reader).isEmpty)
        state.receive(.progress(QueryChanges(removed: [milk.removal])))
        state.receive(.gathered(clock: "5"))
        #expect(
            drain(&state, reader) == [
                .reconnected(resumed: true),
                .updated(QueryChanges(added: [bread.item()], removed: [milk.removal])),
            ])
        #expect(state.visibleClock == "5")
    }

    @Test func `A daemon that has forgotten everything is compared with, identities apart`() {
        let eggs = PlayedFile(id: "c", path: "/c/eggs", inode: 3)
        let salt = PlayedFile(id: "d", path: "/c/salt", inode: 4)
        var (state, reader) = gathered([milk, bread, eggs, salt])
        _ = drain(&state, reader)
        state.loseConnection(loss)
        _ = drain(&state, reader)

        // Milk as it was, bread renamed, eggs written to, salt gone, tea new.
        let milkNow = PlayedFile(id: "A", path: "/c/milk", inode: 1)
        let breadNow = PlayedFile(id: "B", path: "/c/rye", inode: 2, changed: 9)
        let eggsNow = PlayedFile(id: "C", path: "/c/eggs", size: 12, inode: 3, changed: 9)
        let tea = PlayedFile(id: "E", path: "/c/tea", inode: 4, created: 9, changed: 9)
        _ = state.beginCall()
        state.receive(.started(fresh: true))
        state.receive(.progress(QueryChanges(added: [milkNow, breadNow, eggsNow, tea].map { $0.item() })))
        state.receive(.gathered(clock: "x"))

        let notifications = drain(&state, reader)
        #expect(notifications.first == .reconnected(resumed: false))
        guard notifications.count == 2, case .updated(let changes) = notifications[1] else {
            Issue.record("\(notifications)")
            return
        }
        #expect(changes.added.map(\.path) == ["/c/tea"])
        #expect(changes.removed.map(\.id) == ["d"])
        #expect(
            Dictionary(uniqueKeysWithValues: changes.changed.map { ($0.id, $0.path) }) == [
                "b": "/c/rye", "c": "/c/eggs",
            ])
        #expect(changes.changed.first { $0.id == "b" }?.previousPath == "/c/bread")
        #expect(changes.changed.first { $0.id == "c" }?.previousPath == nil)

        // Later changes are told in the identities that the reader knows.
        state.receive(.updated(QueryChanges(removed: [milkNow.removal]), clock: "y"))
        #expect(drain(&state, reader) == [.updated(QueryChanges(removed: [milk.removal]))])
        state.receive(.updated(QueryChanges(changed: [breadNow.item()]), clock: "z"))
        guard case .updated(let later)? = drain(&state, reader).first else {
            Issue.record("nothing was told")
            return
        }
        #expect(later.changed.map(\.id) == ["b"])
    }

    @Test func `Where nothing changed meanwhile, nothing is updated`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        state.loseConnection(loss)
        _ = state.beginCall()
        state.receive(.started(fresh: true))
        var again = milk
        again.id = "other"
        state.receive(.progress(QueryChanges(added: [again.item()])))
        state.receive(.gathered(clock: "x"))
        #expect(drain(&state, reader) == [.reconnecting(loss), .reconnected(resumed: false)])
        #expect(state.visibleResults.items.map(\.id) == ["a"])
    }

    @Test func `A connection that is lost before gathered begins anew`() {
        var state = QueryState(configuration: .everything())
        state.start(.everything())
        let reader = state.addReader()
        _ = state.beginCall()
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [milk.item()])))
        #expect(drain(&state, reader) == [.started(resumed: false), .progress(QueryChanges(added: [milk.item()]))])
        state.loseConnection(loss)
        #expect(drain(&state, reader) == [.reconnecting(loss)])
        #expect(state.beginCall() == nil)
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [bread.item()])))
        state.receive(.gathered(clock: "1"))
        #expect(
            drain(&state, reader) == [
                .started(resumed: false), .progress(QueryChanges(added: [bread.item()])), .gathered,
            ])
    }

    @Test func `A query of an earlier clock tells the difference as progress`() {
        var state = QueryState(configuration: .everything(since: "7"))
        state.start(.everything(since: "7"))
        let reader = state.addReader()
        #expect(state.beginCall() == "7")
        state.receive(.started())
        state.receive(.progress(QueryChanges(added: [bread.item()], removed: [milk.removal])))
        state.receive(.gathered(clock: "8"))
        #expect(
            drain(&state, reader) == [
                .started(resumed: true),
                .progress(QueryChanges(added: [bread.item()], removed: [milk.removal])), .gathered,
            ])
        // A late reader is told of the removals too.
        let late = state.addReader()
        state.receive(.updated(QueryChanges(removed: [bread.removal]), clock: "8"))
        #expect(
            drain(&state, late) == [
                .started(resumed: true),
                .progress(QueryChanges(added: [bread.item()], removed: [milk.removal])), .gathered,
                .updated(QueryChanges(removed: [bread.removal])),
            ])
        _ = drain(&state, reader)
        // It does not know all that matches, so when the daemon forgets, it can only begin anew.
        state.loseConnection(loss)
        #expect(state.beginCall() == "8")
        state.receive(.started(fresh: true))
        #expect(drain(&state, reader) == [.started(resumed: false)])
    }

    @Test func `Lost and back before anybody looked is told in order, with one update`() {
        var (state, reader) = gathered([milk])
        _ = drain(&state, reader)
        state.receive(.updated(QueryChanges(added: [bread.item()]), clock: "2"))
        state.loseConnection(loss)
        _ = state.beginCall()
        state.receive(.started())
        state.receive(.progress(QueryChanges(removed: [milk.removal])))
        state.receive(.gathered(clock: "3"))
        #expect(
            drain(&state, reader) == [
                .reconnecting(loss), .reconnected(resumed: true),
                .updated(QueryChanges(added: [bread.item()], removed: [milk.removal])),
            ])
    }

    @Test func `Starting again discards the results`() {
        var (state, reader) = gathered([milk])
        state.stop(.stopped)
        #expect(state.visibleResults.count == 1)
        state.start(.everything())
        #expect(state.visibleResults.count == 0)
        #expect(state.visibleClock == nil)
        _ = state.beginCall()
        state.receive(.started())
        state.receive(.gathered(clock: "4"))
        #expect(drain(&state, reader) == [.started(resumed: false), .gathered])
    }

    @Test func `The requested attributes include those that files are followed by`() {
        #expect(
            QueryConfiguration.everything().requestedAttributes == [.name, .path, .size, .inode, .created, .changed])
    }
}
