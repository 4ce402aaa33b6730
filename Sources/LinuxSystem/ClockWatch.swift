// Wakes the daemon when the time of day is set.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// Reports each time that the time of day is set, forward or back, and the end of a suspend. Its thread sleeps until then.
package final class ClockWatch: Sendable {
    private let timer: Descriptor
    private let thread: ReadinessThread

    /// The timer, for a test that asks the kernel about it.
    var descriptor: CInt { timer.number }

    /// `wake` is called from the thread, which then waits for ``arm()``.
    package init(wake: @escaping @Sendable () -> Void) throws(SystemError) {
        timer = Descriptor(owning: CInt(try systemCall { clinux_clock_watch() }))
        thread = try ReadinessThread(descriptor: timer.number, wake: wake)
    }

    /// Waits for the next time. Call it before the time of day is read; from any thread.
    package func arm() {
        // The read fails with ECANCELED when the time was set. The next wait begins after that.
        var expirations: UInt64 = 0
        _ = try? withUnsafeMutableBytes(of: &expirations) { (bytes) throws(SystemError) in try timer.read(into: bytes) }
        thread.arm()
    }

    /// Ends the thread. It must not be called from the thread itself, so not from `wake`.
    package func stop() { thread.stop() }
}
