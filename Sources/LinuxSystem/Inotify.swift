// The inotify descriptor and its watches (inotify(7)).
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// An inotify instance. Its queue is first-in first-out, and an event is in it before the system call that caused it
/// returns. Watches may be added from any thread; one thread reads.
package struct Inotify: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// A new instance, not blocking (inotify_init1(2)).
    package init() throws(SystemError) {
        descriptor = Descriptor(owning: CInt(try systemCall { clinux_inotify_init() }))
    }

    /// The number, to poll it.
    package var number: CInt { descriptor.number }

    /// Another descriptor of the instance, for an event loop that closes what it polls (`F_DUPFD_CLOEXEC` of fcntl(2)).
    package func duplicate() throws(SystemError) -> Descriptor {
        Descriptor(owning: CInt(try systemCall { clinux_duplicate(descriptor.number) }))
    }

    /// Watches an open directory (inotify_add_watch(2) on its link in `/proc/self/fd`). The same directory gives the
    /// same watch descriptor, with its mask replaced unless `.addToMask` is in it.
    package func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        Int32(
            truncatingIfNeeded: try systemCall {
                clinux_inotify_add_watch(descriptor.number, directory, mask.rawValue)
            })
    }

    /// Ends a watch; the kernel queues `IN_IGNORED` for it. `EINVAL` where it is gone already.
    package func removeWatch(_ watch: Int32) throws(SystemError) {
        try systemCall { clinux_inotify_rm_watch(descriptor.number, watch) }
    }

    /// Reads whole records into the buffer; 0 when there are none. A buffer too small for the next one is `EINVAL`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        do throws(SystemError) {
            return try descriptor.read(into: buffer)
        } catch {
            if error == .wouldBlock { return 0 }
            throw error
        }
    }

    /// Bytes in the queue (`FIONREAD`).
    package func queuedBytes() throws(SystemError) -> Int { try descriptor.readableBytes() }
}
