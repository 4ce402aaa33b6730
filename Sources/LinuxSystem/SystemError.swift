// The error of a system call, and the one funnel that all system calls go through.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import SystemPackage

/// Why a system call failed. It carries `Errno`, and names the cases that Gather tells apart, so that the targets
/// above need not know swift-system.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number.
    package let code: CInt

    /// An error from its number.
    package init(code: CInt) { self.code = code }

    /// The error as swift-system's type.
    package var errno: Errno { Errno(rawValue: code) }

    /// The system's text, such as "No such file or directory".
    package var description: String { errno.description }

    package static let noEntry = SystemError(code: ENOENT)
    package static let notDirectory = SystemError(code: ENOTDIR)
    package static let noAccess = SystemError(code: EACCES)
    package static let notPermitted = SystemError(code: EPERM)
    package static let noSpace = SystemError(code: ENOSPC)
    package static let readOnly = SystemError(code: EROFS)
    package static let quota = SystemError(code: EDQUOT)
    package static let badDescriptor = SystemError(code: EBADF)
    package static let noLocks = SystemError(code: ENOLCK)
    package static let tooLarge = SystemError(code: EFBIG)
    package static let tooManyNames = SystemError(code: EMLINK)
    package static let isDirectory = SystemError(code: EISDIR)
    package static let noMemory = SystemError(code: ENOMEM)
    package static let wouldBlock = SystemError(code: EAGAIN)
    package static let crossesDevice = SystemError(code: EXDEV)
    package static let tooManyLinks = SystemError(code: ELOOP)
    package static let nameTooLong = SystemError(code: ENAMETOOLONG)
    package static let invalid = SystemError(code: EINVAL)
    package static let noData = SystemError(code: ENODATA)
    package static let notSupported = SystemError(code: EOPNOTSUPP)
    package static let exists = SystemError(code: EEXIST)
    package static let notEmpty = SystemError(code: ENOTEMPTY)
    package static let tooManyDescriptors = SystemError(code: EMFILE)
    package static let tooManyDescriptorsInSystem = SystemError(code: ENFILE)
    package static let busy = SystemError(code: EBUSY)
    package static let noDevice = SystemError(code: ENODEV)
    package static let stale = SystemError(code: ESTALE)
    package static let range = SystemError(code: ERANGE)
    package static let tooBig = SystemError(code: E2BIG)
    package static let timedOut = SystemError(code: ETIMEDOUT)
    package static let notConnected = SystemError(code: ENOTCONN)
    package static let inputOutput = SystemError(code: EIO)
    package static let hostDown = SystemError(code: EHOSTDOWN)
    package static let aborted = SystemError(code: ECONNABORTED)

    /// Whether the mount fails as a whole, and not an entry on it.
    package var isOfMount: Bool {
        [.timedOut, .notConnected, .hostDown, .aborted].contains(self)
    }
}

/// Calls again while a signal interrupts, and makes the error of a negative result. The C shims return the negated
/// errno, so it is taken at once, before anything of Swift's runtime can overwrite it.
@inline(__always) @discardableResult
func systemCall(_ call: () -> Int) throws(SystemError) -> Int {
    while true {
        let result = call()
        if result >= 0 { return result }
        if result != Int(-EINTR) { throw SystemError(code: CInt(truncatingIfNeeded: -result)) }
    }
}
