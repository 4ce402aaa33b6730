// The tasks of a session.
// SPDX-License-Identifier: Apache-2.0

/// Keeps the tasks of a session, whose first error ends it.
struct SessionTasks {
    /// Throws the first error of a task.
    let failures: AsyncThrowingStream<Void, any Error>
    private let failure: AsyncThrowingStream<Void, any Error>.Continuation
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var count = 0
    /// Whether another session follows, which knows nothing of this one.
    private(set) var isEnded = false

    init() { (failures, failure) = AsyncThrowingStream.makeStream() }

    /// Starts a task. `ended` is called at its end, with the number for ``remove(_:)``.
    mutating func add(
        _ body: @escaping @Sendable () async throws -> Void, ended: @escaping @Sendable (Int) async -> Void
    ) {
        let number = count
        count += 1
        let failure = failure
        tasks[number] = Task(executorPreference: SyncExecutor.shared) {
            do { try await body() } catch { failure.finish(throwing: error) }
            await ended(number)
        }
    }

    /// Forgets a task that has ended.
    mutating func remove(_ number: Int) { tasks[number] = nil }

    /// Ends the session with an error, unless it has one.
    func fail(_ error: any Error) { failure.finish(throwing: error) }

    /// Cancels all tasks.
    mutating func end() {
        isEnded = true
        for task in tasks.values { task.cancel() }
        tasks.removeAll()
    }
}
