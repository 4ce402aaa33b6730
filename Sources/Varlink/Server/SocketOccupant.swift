// Examines the path of a socket before a server binds it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The reason for which a server cannot listen at a path.
package enum SocketOccupant: Sendable, Hashable {
    /// A process listens there. The number is from `SO_PEERCRED`, if known.
    case process(Int32?)
    /// A file of another type.
    case file

    /// Examines a path without waiting. Nil for a free path, and for the socket file of a process that has ended.
    package static func at(_ path: String) throws(VarlinkSocketError) -> SocketOccupant? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw VarlinkSocketError(operation: .path, errno: ENAMETOOLONG, path: path)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .file }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let probe = socket(AF_UNIX, CInt(flags), 0)
        guard probe >= 0 else { throw VarlinkSocketError(operation: .socket, errno: errno) }
        defer { close(probe) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        switch code {
        // EAGAIN means that the queue is full: a process listens and is busy.
        case 0: return .process((try? PeerCredentials(ofPeer: probe))?.processID)
        case EAGAIN: return .process(nil)
        case EACCES, EPERM: throw VarlinkSocketError(operation: .connect, errno: code, path: path)
        default: return nil
        }
    }
}
