// Waking a thread that polls.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A counter that can be polled (eventfd(2)). Setting it from any thread wakes its poller.
package struct Signal: ~Copyable, Sendable {
    private let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = Descriptor(owning: CInt(try systemCall { clinux_eventfd() }))
    }

    /// The number, to poll it.
    package var number: CInt { descriptor.number }

    /// Makes it readable. It may be set any number of times before it is cleared.
    package func set() {
        var one: UInt64 = 1
        // The only failure is a counter at its maximum, and then it is readable already.
        _ = try? withUnsafeBytes(of: &one) { (bytes) throws(SystemError) in try descriptor.write(bytes) }
    }

    /// Makes it unreadable.
    package func clear() {
        var count: UInt64 = 0
        _ = try? withUnsafeMutableBytes(of: &count) { (bytes) throws(SystemError) in try descriptor.read(into: bytes) }
    }
}

/// poll(2).
package enum Poll {
    /// Waits without a time limit until one of two descriptors is readable or has failed, and returns which. `events` applies to
    /// the first.
    package static func untilReadable(
        _ first: CInt, _ second: CInt, events: CShort = CShort(POLLIN)
    ) throws(SystemError) -> (Bool, Bool) {
        var descriptors = (
            pollfd(fd: first, events: events, revents: 0),
            pollfd(fd: second, events: CShort(POLLIN), revents: 0)
        )
        while true {
            let result = withUnsafeMutablePointer(to: &descriptors) { pointer in
                pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, -1) }
            }
            if result > 0 { return (descriptors.0.revents != 0, descriptors.1.revents != 0) }
            if result < 0, Glibc.errno != EINTR { throw SystemError(code: Glibc.errno) }
        }
    }
}
