// The events of the list for all pages that are open.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import NIOCore
internal import Synchronization
internal import Varlink

/// Follows the list once, and passes its events to all pages.
final class EventHub: Sendable {
    private struct State {
        var items: [ItemIdentifier: GroceryItem]?
        var away: String?
        var number: UInt64 = 0
        /// The event with the whole list, made when it is needed.
        var whole: PageEvent?
        var next = 0
        var subscribers: [Int: @Sendable (PageEvent) -> Void] = [:]
    }

    private let list: any PageList
    private let limit: Int
    /// The version of the page. A page of another version loads itself again.
    private let version: String
    private let state = Mutex(State())

    init(list: any PageList, version: String, limit: Int) {
        self.list = list
        self.version = version
        self.limit = limit
    }

    /// Follows the list until the task is cancelled.
    func run() async throws {
        for try await event in list.events() { publish(event) }
    }

    /// Sends heartbeats until the task is cancelled.
    func beat(every pause: Duration) async throws {
        while true {
            try await Task.sleep(for: pause)
            state.withLock { state in
                for send in state.subscribers.values { send(.heartbeat) }
            }
        }
    }

    // MARK: Subscribers

    /// Adds a page. It gets the whole list first, and events in their order. Returns nil if there are too many.
    func add(_ send: @escaping @Sendable (PageEvent) -> Void) -> Int? {
        state.withLock { state in
            guard state.subscribers.count < limit else { return nil }
            state.next += 1
            state.subscribers[state.next] = send
            // Under the lock, so that no change comes between.
            if let event = whole(&state) { send(event) }
            return state.next
        }
    }

    func remove(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }

    /// Returns the event with the whole list; nil before the list was read for the first time.
    func whole() -> PageEvent? { state.withLock { whole(&$0) } }

    /// The identifiers of the items; nil before the list was read for the first time.
    var identifiers: [ItemIdentifier]? { state.withLock { $0.items.map { Array($0.keys) } } }

    // MARK: Events

    private func publish(_ event: ListEvent) {
        state.withLock { state in
            state.number += 1
            state.whole = nil
            let page: PageEvent
            switch event {
            case .items(let items):
                state.away = nil
                state.items = Dictionary(items.map { ($0.id, $0) }) { _, last in last }
                guard let whole = whole(&state) else { return }
                page = whole
            case .changed(let changed, let removed):
                for id in removed { state.items?[id] = nil }
                for item in changed { state.items?[item.id] = item }
                page = PageEvent(
                    "changed", number: state.number,
                    JSONBytes { writer in
                        writer.beginObject()
                        writer.key("items")
                        writer.items(changed)
                        writer.field("removed", removed.map(\.text))
                        writer.endObject()
                    })
            case .away(let reason):
                state.away = reason
                page = away(reason, state.number)
            }
            for send in state.subscribers.values { send(page) }
        }
    }

    private func away(_ reason: String, _ number: UInt64) -> PageEvent {
        PageEvent(
            "away", number: number,
            JSONBytes { writer in
                writer.beginObject()
                writer.field("reason", reason)
                writer.endObject()
            })
    }

    private func whole(_ state: inout State) -> PageEvent? {
        if let whole = state.whole { return whole }
        guard let items = state.items else { return state.away.map { away($0, state.number) } }
        let event = PageEvent(
            "items", number: state.number,
            JSONBytes { writer in
                writer.beginObject()
                writer.field("list", list.name)
                writer.field("version", version)
                writer.field("away", state.away)
                writer.key("items")
                writer.items(items.values)
                writer.endObject()
            })
        state.whole = event
        return event
    }
}
