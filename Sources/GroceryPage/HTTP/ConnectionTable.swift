// The connections of the server.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// The open connections, so that their number is limited and the server can end them.
final class ConnectionTable: Sendable {
    private struct State {
        var next = 0
        var ends: [Int: @Sendable (_ now: Bool) -> Void] = [:]
        var isEnding = false
        var whenEmpty: CheckedContinuation<Void, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.ends.count } }
    /// Whether the server ends, so that it refuses connections.
    var isEnding: Bool { state.withLock { $0.isEnding } }

    /// Adds a connection with the function that ends it. Returns nil if there are too many, or if the server ends.
    func add(end: @escaping @Sendable (_ now: Bool) -> Void) -> Int? {
        state.withLock { state in
            guard !state.isEnding, state.ends.count < limit else { return nil }
            state.next += 1
            state.ends[state.next] = end
            return state.next
        }
    }

    /// Removes a connection that was closed.
    func remove(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.ends[number] = nil
            guard state.ends.isEmpty else { return nil }
            defer { state.whenEmpty = nil }
            return state.whenEmpty
        }
        waiting?.resume()
    }

    /// Ends all connections, and refuses further ones. Requests that are being answered are answered first, unless `now`.
    func end(now: Bool) {
        let ends = state.withLock { state in
            state.isEnding = true
            return Array(state.ends.values)
        }
        for end in ends { end(now) }
    }

    /// Returns when no connection is open. One task may wait.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.ends.isEmpty { state.whenEmpty = continuation }
                return state.ends.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
