// Ends a scan that nobody waits for any more, or that takes too long.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Ends a scan early. Whoever asked for it cancels it from any thread; one with costly tests ends by itself when it has
/// used too much of a processor.
package final class ScanGuard: Sendable {
    /// What became of a scan.
    package enum State: UInt8, Sendable {
        case going, cancelled, late
    }

    private let state = Atomic<UInt8>(State.going.rawValue)
    private let nanoseconds: UInt64
    /// When the scan began (CLOCK_MONOTONIC); 0 until then.
    private let start = Atomic<UInt64>(0)
    /// The thread that scans, and what it had used of a processor before.
    private let thread = Atomic<UInt>(0)
    private let used = Atomic<UInt64>(0)

    /// So many times as long as a scan may take of a processor it may take in all: its thread gives way to others, and on a
    /// busy machine waits most of the time.
    static let patience: UInt64 = 3

    /// Gives a scan this long of a processor from its first row, and ``patience`` times as long by the clock. One thread
    /// scans at a time; where another goes on, its processor time is counted anew.
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Whether the scan ended early, and why.
    package var ended: State { State(rawValue: state.load(ordering: .relaxed)) ?? .cancelled }

    /// Ends the scan at its next row.
    package func cancel() {
        _ = state.compareExchange(
            expected: State.going.rawValue, desired: State.cancelled.rawValue, ordering: .relaxed)
    }

    /// Whether the scan is to end now.
    @inline(__always)
    var isCancelled: Bool { state.load(ordering: .relaxed) != State.going.rawValue }

    /// Looks at the clock as well: some tens of nanoseconds. At what the thread has used, a system call, only when so much time
    /// is over that it can be too much.
    func isOver() -> Bool { isOver(now: MonotonicTime.now) { ProcessorTime.now } }

    /// As above, by these clocks.
    func isOver(now: UInt64, processorTime: () -> UInt64) -> Bool {
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

/// What the calling thread has used of a processor.
enum ProcessorTime {
    /// Nanoseconds since the thread began (CLOCK_THREAD_CPUTIME_ID).
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The clock by which work is measured.
enum MonotonicTime {
    /// Nanoseconds since some moment.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
