// The turn of one operation at a time, in the order of their calls.
// SPDX-License-Identifier: Apache-2.0

/// The turn of one operation at a time on something that an actor owns. The actor calls it, and so guards it.
final class OperationTurn {
    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Waits for the turn. The caller calls ``end()`` afterwards.
    func begin(isolation: isolated (any Actor)? = #isolation) async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Gives the turn to the operation that has waited longest.
    func end() {
        if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
    }
}
