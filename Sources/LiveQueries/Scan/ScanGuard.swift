// Ends a scan that nobody waits for any more, or that takes too long.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Ends a scan early. Whoever asked for it cancels it from any thread; one with costly tests ends by itself when its time
/// is over.
package final class ScanGuard: Sendable {
    /// What became of a scan.
    package enum State: UInt8, Sendable {
        case going, cancelled, late
    }

    private let state = Atomic<UInt8>(State.going.rawValue)
    private let nanoseconds: UInt64
    /// When the time is over (CLOCK_MONOTONIC); 0 until the scan has begun.
    private let deadline = Atomic<UInt64>(0)

    /// Gives a scan this long from its first row.
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

    /// Looks at the clock as well: some tens of nanoseconds.
    func isOver() -> Bool {
        if isCancelled { return true }
        let now = MonotonicTime.now
        let known = deadline.load(ordering: .relaxed)
        if known == 0 {
            deadline.store(now &+ nanoseconds, ordering: .relaxed)
        } else if now > known {
            _ = state.compareExchange(expected: State.going.rawValue, desired: State.late.rawValue, ordering: .relaxed)
            return true
        }
        return false
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
