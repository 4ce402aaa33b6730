// The news that tasks of a session wait for.
// SPDX-License-Identifier: Apache-2.0

/// Wakes the task that reports, and the calls that wait for files. Several signals before a task looks are one.
struct SessionSignals {
    /// Yields when states may have changed.
    let reports: AsyncStream<Void>
    private let report: AsyncStream<Void>.Continuation
    private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var count = 0

    init() { (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Notes that states may have changed.
    func wake() { report.yield() }

    /// Notes that states may have changed, and that files may have come.
    func wakeAll() {
        report.yield()
        for watcher in watchers.values { watcher.yield() }
    }

    /// Adds a call that waits for files. Returns its number, and a stream that yields when files may have come.
    mutating func addWatcher() -> (number: Int, changes: AsyncStream<Void>) {
        let (changes, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        count += 1
        watchers[count] = watcher
        return (count, changes)
    }

    /// Has a call look again.
    func wake(watcher number: Int) { watchers[number]?.yield() }

    /// Removes a call that waits no more, and ends its stream.
    mutating func removeWatcher(_ number: Int) { watchers.removeValue(forKey: number)?.finish() }

    /// Ends the streams of the calls that wait, since no signal will come.
    func end() { for watcher in watchers.values { watcher.finish() } }
}
