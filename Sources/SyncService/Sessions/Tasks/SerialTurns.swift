// Asynchronous work, one piece after the other.
// SPDX-License-Identifier: Apache-2.0

/// Runs asynchronous work of several callers, one piece after the other in the order of the calls. An actor alone lets another caller
/// in at each `await`.
struct SerialTurns {
    private var last: Task<Void, Never>?

    /// Starts work after all before it has ended, and returns its task. A caller that is cancelled does not interrupt it.
    mutating func add<Success: Sendable>(_ work: @escaping @Sendable () async -> Success) -> Task<Success, Never> {
        let previous = last
        // Without the preference the first task has libdispatch start threads, which wake an idle process each second.
        let task = Task<Success, Never>(executorPreference: SyncExecutor.shared) {
            await previous?.value
            return await work()
        }
        last = Task(executorPreference: SyncExecutor.shared) { _ = await task.value }
        return task
    }
}
