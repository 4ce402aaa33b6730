// The clock that deadlines are kept by.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// `CLOCK_MONOTONIC` (clock_gettime(2)).
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary point; never goes back.
    package static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// Nanoseconds of processor time that the calling thread has had (`CLOCK_THREAD_CPUTIME_ID`).
    package static func processorTime() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// Nanoseconds of processor time that the process has had (`CLOCK_PROCESS_CPUTIME_ID`).
    package static func processorTimeOfProcess() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
