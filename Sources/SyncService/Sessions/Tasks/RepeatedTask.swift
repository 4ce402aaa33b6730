// A task that starts over if it is wanted again meanwhile.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a task runs that looks at everything in rounds. If it is wanted during a round, another round follows.
struct RepeatedTask {
    private var isRunning = false
    private var isWanted = false

    /// Notes that the task is wanted. Returns whether it has to be started.
    mutating func want() -> Bool {
        isWanted = true
        defer { isRunning = true }
        return !isRunning
    }

    /// Notes that a round begins. It sees all that has been wanted before.
    mutating func beginRound() { isWanted = false }

    /// Returns whether another round follows. Else the task has ended.
    mutating func endRound() -> Bool {
        isRunning = isWanted
        return isWanted
    }
}
