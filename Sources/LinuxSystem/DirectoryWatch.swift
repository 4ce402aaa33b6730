// Wakes the daemon when a file of a few directories is replaced.
// SPDX-License-Identifier: Apache-2.0

/// Reports that entries of some directories came, went or were written, such as `/etc/localtime`. It does not tell which: the
/// caller looks at the files that matter. Its thread sleeps until then.
package final class DirectoryWatch: Sendable {
    private let inotify: Inotify
    private let thread: ReadinessThread

    private static let mask: InotifyMask = [.closeWrite, .movedTo, .movedFrom, .create, .delete, .onlyDirectories]
    /// The longest record has 4,112 bytes: a name of up to 4,095 bytes with its NUL, in multiples of 16.
    private static let bufferBytes = 8_192

    /// `wake` is called from the thread, which then waits for ``arm()``.
    package init(wake: @escaping @Sendable () -> Void) throws(SystemError) {
        inotify = try Inotify()
        thread = try ReadinessThread(descriptor: inotify.number, wake: wake)
    }

    /// Watches a directory. One that is watched already stays as it is. From any thread.
    package func add(_ path: String) throws(SystemError) {
        let directory = try Directory.open(path, access: .path)
        _ = try inotify.addWatch(on: directory.number, mask: DirectoryWatch.mask)
    }

    /// Waits for the next change. Call it before the files are looked at; from any thread.
    package func arm() {
        withUnsafeTemporaryAllocation(byteCount: DirectoryWatch.bufferBytes, alignment: 8) { buffer in
            // Which entries changed does not matter, so an overflow does not either.
            while let count = try? inotify.read(into: buffer), count > 0 {}
        }
        thread.arm()
    }

    /// Ends the thread. It must not be called from the thread itself, so not from `wake`.
    package func stop() { thread.stop() }
}
