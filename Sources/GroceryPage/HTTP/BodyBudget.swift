// The limit of bytes for all bodies of requests.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the bytes of the bodies of requests that are in memory, and limits them for all connections together.
final class BodyBudget: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    /// - Parameter limit: The most bytes.
    init(limit: Int) { self.limit = limit }

    /// The bytes that are in memory.
    var bytes: Int { count.withLock { $0 } }

    fileprivate func take(_ bytes: Int) -> Bool {
        count.withLock { count in
            guard bytes <= limit - count else { return false }
            count += bytes
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int) { count.withLock { $0 -= bytes } }

    /// The bytes of one body. They are given back with the last reference, which is that of the change that the request makes:
    /// it goes on after a client has left.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let count = Mutex(0)

        init(of budget: BodyBudget) { self.budget = budget }

        deinit { budget.giveBack(count.withLock { $0 }) }

        /// Takes bytes for a part that has arrived. Returns false if there are too many in memory.
        func take(_ bytes: Int) -> Bool {
            guard budget.take(bytes) else { return false }
            count.withLock { $0 += bytes }
            return true
        }
    }
}
