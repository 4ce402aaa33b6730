// SIGTERM and SIGINT, for a command that ends its work in order.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

enum EndSignals {
    /// The end of a pipe that the signal handler writes to.
    private static let writingEnd = Atomic<Int32>(-1)

    /// Calls `end` on a thread of its own when SIGTERM, SIGINT or SIGHUP arrives. A further SIGINT ends the process at once.
    static func install(_ end: @escaping @Sendable () -> Void) throws(Problem) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Problem("cannot make a pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        writingEnd.store(ends[1], ordering: .sequentiallyConsistent)
        // A cooperative thread may not wait in a system call.
        let wait = Unmanaged.passRetained(Waiting(descriptor: ends[0], end: end))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Waiting>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, wait.toOpaque())
        guard code == 0 else {
            wait.release()
            throw Problem("cannot start a thread: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number) { EndSignals.note($0) } }
    }

    /// Wakes the thread, with the calls of signal-safety(7) only.
    private static func note(_ number: Int32) {
        let code = errno
        var byte: UInt8 = 1
        write(writingEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        signal(SIGINT) { _ in _exit(130) }
        errno = code
    }

    private final class Waiting: Sendable {
        let descriptor: Int32
        let end: @Sendable () -> Void

        init(descriptor: Int32, end: @escaping @Sendable () -> Void) {
            self.descriptor = descriptor
            self.end = end
        }

        func run() {
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) < 0, errno == EINTR {}
            end()
        }
    }
}
