// The timer that tells when the time of day was set.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LinuxSystem

@Suite struct ClockWatchTests {
    /// The machine's clock is not to be set for a test, and no namespace has one of its own (`time_namespaces(7)`): the kernel
    /// says what it was asked for.
    @Test func theKernelIsAskedToTellWhenTheTimeOfDayIsSet() throws {
        let watch = try ClockWatch { Issue.record("nobody has set the clock") }
        let file = try #require(fopen("/proc/self/fdinfo/\(watch.descriptor)", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        // CLOCK_REALTIME, and TFD_TIMER_ABSTIME with TFD_TIMER_CANCEL_ON_SET in octal (`proc_pid_fdinfo(5)`).
        #expect(lines.contains("clockid: 0"))
        #expect(lines.contains("settime flags: 03"))
        watch.arm()
        watch.stop()
    }
}
