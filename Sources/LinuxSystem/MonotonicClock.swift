// The clock that deadlines are kept by.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// `CLOCK_MONOTONIC` (clock_gettime(2)).
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary point; never goes back.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
