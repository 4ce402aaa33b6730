// A directory that no process gets to read before a test says so, as on a disk that does not answer.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import SystemPackage

/// Holds up whoever opens a directory to read it (fanotify(7)), until it is let go. Opening it as a place (`O_PATH`), and watching
/// it, do not block.
final class HeldDirectory: Sendable {
    /// Everybody goes on when it is closed.
    private let group: CInt

    /// Whether this process may do that, tried once.
    static let isAllowed: Bool = {
        guard let directory = try? TemporaryDirectory(), let held = try? HeldDirectory(directory.path) else {
            return false
        }
        held.letGo()
        return true
    }()

    init(_ path: String) throws {
        // The functions of <sys/fanotify.h>, which Swift does not see.
        typealias Initialize = @convention(c) (CUnsignedInt, CUnsignedInt) -> CInt
        typealias Mark = @convention(c) (CInt, CUnsignedInt, UInt64, CInt, UnsafePointer<CChar>) -> CInt
        guard let initialize = dlsym(nil, "fanotify_init"), let mark = dlsym(nil, "fanotify_mark") else {
            throw Errno.noFunction
        }
        let number = unsafeBitCast(initialize, to: Initialize.self)(
            HeldDirectory.content | HeldDirectory.closeOnExec, CUnsignedInt(O_RDONLY | O_CLOEXEC))
        guard number >= 0 else { throw Errno(rawValue: errno) }
        group = number
        let result = unsafeBitCast(mark, to: Mark.self)(
            number, HeldDirectory.add, HeldDirectory.openPermission | HeldDirectory.onDirectory, AT_FDCWD, path)
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(number)
            throw error
        }
    }

    private static let content: CUnsignedInt = 0x4
    private static let closeOnExec: CUnsignedInt = 0x1
    private static let add: CUnsignedInt = 0x1
    private static let openPermission: UInt64 = 0x10000
    private static let onDirectory: UInt64 = 0x4000_0000

    /// Waits until somebody is held up.
    func someoneWaits() async throws {
        let group = group
        try await NIOSingletons.posixBlockingThreadPool.runIfActive {
            var event = [UInt8](repeating: 0, count: 4_096)
            let count = read(group, &event, event.count)
            guard count > 0 else { throw Errno(rawValue: errno) }
            // Each has an open descriptor of what is to be opened, behind 16 bytes.
            event.withUnsafeBytes { event in
                var start = 0
                while start + 24 <= count {
                    close(event.loadUnaligned(fromByteOffset: start + 16, as: CInt.self))
                    start += Int(event.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                }
            }
        }
    }

    /// Lets all waiting readers go on, and holds up no others.
    func letGo() { close(group) }
}
