// Ends a scan that is cancelled or takes too long.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Ends a scan early. Its caller may cancel it from any thread. A scan with costly tests also ends when it has used too
/// much processor time.
package final class ScanGuard: Sendable {
    /// The state of a scan.
    package enum State: UInt8, Sendable {
        case going, cancelled, late
    }

    private let state = Atomic<UInt8>(State.going.rawValue)
    private let nanoseconds: UInt64
    /// The start of the scan (CLOCK_MONOTONIC); 0 before it.
    private let start = Atomic<UInt64>(0)
    /// The scanning thread, and the processor time that it had used before.
    private let thread = Atomic<UInt>(0)
    private let used = Atomic<UInt64>(0)

    /// The ratio of elapsed time to processor time that a scan may take. Its thread yields to others, and on a busy
    /// machine it waits most of the time.
    static let patience: UInt64 = 3

    /// Allows a scan this much processor time from its first row, and ``patience`` times as much elapsed time. One
    /// thread scans at a time; when another continues, processor time is counted anew.
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Whether the scan ended early, with the reason.
    package var ended: State { State(rawValue: state.load(ordering: .relaxed)) ?? .cancelled }

    /// Ends the scan at its next row.
    package func cancel() {
        _ = state.compareExchange(
            expected: State.going.rawValue, desired: State.cancelled.rawValue, ordering: .relaxed)
    }

    /// Whether the scan must end now.
    @inline(__always)
    var isCancelled: Bool { state.load(ordering: .relaxed) != State.going.rawValue }

    /// Returns whether the scan must end, by the clock too: some tens of nanoseconds. The thread's processor time, a system
    /// call, is read only once enough time has passed.
    func checkTime() -> Bool { checkTime(now: MonotonicTime.now) { ProcessorTime.now } }

    /// Returns whether the scan must end, by the given clocks, and ends it then.
    func checkTime(now: UInt64, processorTime: () -> UInt64) -> Bool {
        if isCancelled { return true }
        let began = start.load(ordering: .relaxed)
        let current = UInt(pthread_self())
        guard began != 0, thread.load(ordering: .relaxed) == current else {
            if began == 0 { start.store(now, ordering: .relaxed) }
            thread.store(current, ordering: .relaxed)
            used.store(processorTime(), ordering: .relaxed)
            return false
        }
        let passed = now &- began
        guard passed > nanoseconds else { return false }
        let isLate = passed / ScanGuard.patience > nanoseconds
        guard isLate || processorTime() &- used.load(ordering: .relaxed) > nanoseconds else { return false }
        _ = state.compareExchange(expected: State.going.rawValue, desired: State.late.rawValue, ordering: .relaxed)
        return true
    }
}

/// The processor time of the calling thread.
enum ProcessorTime {
    /// Nanoseconds since the thread began (CLOCK_THREAD_CPUTIME_ID).
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The monotonic clock.
enum MonotonicTime {
    /// Nanoseconds since an arbitrary moment.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
