// Signals for the task that reports, and for the calls that wait.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct SessionSignalsTests {
    private var signals = SessionSignals()

    /// Returns the count of signals that wait in a stream. `end` ends it.
    private func waiting(_ stream: AsyncStream<Void>) async -> Int {
        signals.end()
        return await stream.reduce(0) { count, _ in count + 1 }
    }

    @Test mutating func severalSignalsAreOne() async {
        let watcher = signals.addWatcher()
        signals.wakeAll()
        signals.wakeAll()
        #expect(await waiting(watcher.changes) == 1)
        var reports = signals.reports.makeAsyncIterator()
        #expect(await reports.next() != nil)
    }

    @Test mutating func aReportConcernsNoCallThatWaits() async {
        let watcher = signals.addWatcher()
        signals.wake()
        #expect(await waiting(watcher.changes) == 0)
        var reports = signals.reports.makeAsyncIterator()
        #expect(await reports.next() != nil)
    }

    @Test mutating func callsAreWokenByTheirNumbers() async {
        let (first, second, third) = (signals.addWatcher(), signals.addWatcher(), signals.addWatcher())
        signals.wake(watcher: second.number)
        signals.removeWatcher(third.number)
        signals.wakeAll()
        signals.removeWatcher(first.number)
        let fourth = signals.addWatcher()
        #expect(Set([second.number, fourth.number]).count == 2)
        #expect(await waiting(second.changes) == 1)
        #expect(await waiting(fourth.changes) == 0)
        #expect(await waiting(third.changes) == 0, "it was removed before the signal")
    }
}
