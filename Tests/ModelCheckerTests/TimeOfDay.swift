// The time of day, which some questions follow.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Times in nanoseconds since 1970, as a walk and a clock have them.
enum TimeOfDay {
    static let second = 1_000_000_000

    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * second + time.tv_nsec }
}
