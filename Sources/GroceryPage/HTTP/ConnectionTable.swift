// The connections of the server.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// The open connections, so that their number is limited and the server can end them.
///
/// Connections that have not shown the secret have a limit of their own. Beyond it the oldest of them is closed, so that a new
/// one always gets in. They cannot use up the limit of the others. The address of the other end decides nothing: behind a
/// proxy it is the same for all.
final class ConnectionTable: Sendable {
    /// The reason why the server ends a connection.
    enum Ending: Sendable {
        /// The server ends. A request that is being answered is answered first.
        case afterRequest
        /// The server ends at once.
        case now
        /// A newer connection takes the place.
        case replaced
    }

    private struct State {
        var next = 0
        /// Those that have not shown the secret. A lower number is older.
        var unauthenticated: [Int: @Sendable (Ending) -> Void] = [:]
        var authenticated: [Int: @Sendable (Ending) -> Void] = [:]
        var isEnding = false
        var whenEmpty: CheckedContinuation<Void, Never>?

        var isEmpty: Bool { unauthenticated.isEmpty && authenticated.isEmpty }
    }

    private let unauthenticatedLimit: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - unauthenticated: The most connections that have not shown the secret.
    ///   - authenticated: The most connections that have.
    init(unauthenticated: Int, authenticated: Int) {
        unauthenticatedLimit = unauthenticated
        limit = authenticated
    }

    /// Adds a connection with the function that ends it, which is called on any thread. Ends the oldest one that has not shown
    /// the secret, if there are too many. Returns nil if the server ends.
    func add(end: @escaping @Sendable (Ending) -> Void) -> Int? {
        let (number, replaced) = state.withLock { state -> (Int?, (@Sendable (Ending) -> Void)?) in
            guard !state.isEnding else { return (nil, nil) }
            var replaced: (@Sendable (Ending) -> Void)?
            if state.unauthenticated.count >= unauthenticatedLimit, let oldest = state.unauthenticated.keys.min() {
                replaced = state.unauthenticated.removeValue(forKey: oldest)
            }
            state.next += 1
            state.unauthenticated[state.next] = end
            return (state.next, replaced)
        }
        replaced?(.replaced)
        return number
    }

    /// Notes that a connection has shown the secret. Returns false if there are too many of these.
    func authenticate(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.authenticated.count < limit else { return false }
            // Nil for a connection that is ending, since a newer one has its place.
            if let end = state.unauthenticated.removeValue(forKey: number) { state.authenticated[number] = end }
            return true
        }
    }

    /// Removes a connection that was closed.
    func remove(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.unauthenticated[number] = nil
            state.authenticated[number] = nil
            guard state.isEmpty else { return nil }
            defer { state.whenEmpty = nil }
            return state.whenEmpty
        }
        waiting?.resume()
    }

    /// Ends all connections, and refuses further ones. Requests that are being answered are answered first, unless `now`.
    func end(now: Bool) {
        let ends = state.withLock { state in
            state.isEnding = true
            return Array(state.unauthenticated.values) + Array(state.authenticated.values)
        }
        for end in ends { end(now ? .now : .afterRequest) }
    }

    /// Returns when no connection is open. One task may wait.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.isEmpty { state.whenEmpty = continuation }
                return state.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }
}
