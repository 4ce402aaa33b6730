// The time of day.
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Metadata

extension Timestamp {
    /// The present time of day.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
