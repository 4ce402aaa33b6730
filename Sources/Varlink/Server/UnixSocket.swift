// Unix stream sockets with a path.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A socket operation that failed.
package struct VarlinkSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An operation that can fail.
    package enum Operation: String, Sendable, Hashable {
        case socket = "making a socket"
        case path = "the socket's path"
        case bind = "binding"
        case mode = "setting mode and group"
        case listen = "listening"
        case connect = "connecting"
        case credentials = "reading the peer's credentials"
        case read = "reading"
        case write = "writing"
    }

    /// The operation that failed.
    package var operation: Operation
    /// The errno. EADDRINUSE of `bind` also means that a process listens at the path, or that it has a file of another
    /// type. ENAMETOOLONG is of `path`.
    package var errno: CInt
    /// The socket's path, if any.
    package var path: String?

    /// Makes an error from its parts.
    package init(operation: Operation, errno: CInt, path: String? = nil) {
        self.operation = operation
        self.errno = errno
        self.path = path
    }

    package var description: String {
        let place = path.map { " (\($0))" } ?? ""
        return "\(operation.rawValue)\(place): \(String(cString: strerror(errno)))"
    }
}

/// System calls on Unix stream sockets. The caller owns returned descriptors.
enum UnixSocket {
    /// Follows the path of a socket in that of its lock.
    static let lockSuffix = ".lock"

    /// Binds a socket to `path`, sets the mode and the group of its file, and listens. No process can connect before
    /// that.
    ///
    /// A socket file without a listening process is replaced. Any other file is not touched. A lock excludes two
    /// processes that do this at the same time. It is a file beside the socket that only this user may open, since
    /// flock(2) needs no permission to write: a lock on the directory could be taken by every user who may list it. The
    /// file stays, empty.
    static func listen(path: String, mode: UInt32, group: UInt32?, backlog: CInt) throws(VarlinkSocketError) -> CInt {
        func failure(_ operation: VarlinkSocketError.Operation, _ code: CInt = Glibc.errno) -> VarlinkSocketError {
            VarlinkSocketError(operation: operation, errno: code, path: path)
        }
        let address = try address(path)
        let lock = open(path + lockSuffix, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw VarlinkSocketError(operation: .bind, errno: Glibc.errno, path: path + lockSuffix)
        }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw failure(.bind, Glibc.errno == EWOULDBLOCK ? EADDRINUSE : Glibc.errno)
        }
        // Closing is not enough: between fork(2) and execve(2), a child has a copy of the descriptor.
        defer { _ = flock(lock, LOCK_UN) }

        let descriptor = try make()
        do throws(VarlinkSocketError) {
            if !bind(descriptor, to: address) {
                let code = errno
                guard code == EADDRINUSE, try isDead(path, address) else { throw failure(.bind, code) }
                guard unlink(path) == 0, bind(descriptor, to: address) else { throw failure(.bind) }
            }
            guard chmod(path, mode) == 0 else { throw failure(.mode) }
            if let group, chown(path, uid_t.max, group) != 0 { throw failure(.mode) }
            guard Glibc.listen(descriptor, backlog) == 0 else { throw failure(.listen) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Returns a blocking socket that is connected to `path`. The queue of new connections may be full: if it still is after
    /// `time`, the error is `EAGAIN`. So is that of each later send(2) for which there is no room in that time.
    static func connect(path: String, within time: Duration?) throws(VarlinkSocketError) -> CInt {
        let address = try address(path)
        let descriptor = try make()
        if let time { limitSending(descriptor, to: time) }
        guard connect(descriptor, to: address) else {
            let code = errno
            close(descriptor)
            throw VarlinkSocketError(operation: .connect, errno: code, path: path)
        }
        return descriptor
    }

    /// Whether the file at `path` is a socket without a listening process.
    private static func isDead(_ path: String, _ address: sockaddr_un) throws(VarlinkSocketError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = try make()
        defer { close(probe) }
        return !connect(probe, to: address) && errno == ECONNREFUSED
    }

    /// Ends the waits of connect(2) and send(2) after `time` (SO_SNDTIMEO of socket(7)).
    private static func limitSending(_ descriptor: CInt, to time: Duration) {
        let (seconds, attoseconds) = time.components
        var limit = timeval(
            tv_sec: Int(clamping: seconds), tv_usec: suseconds_t(clamping: attoseconds / 1_000_000_000_000))
        // It is refused only for a time that is none.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func make() throws(VarlinkSocketError) -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw VarlinkSocketError(operation: .socket, errno: errno) }
        return descriptor
    }

    private static func address(_ path: String) throws(VarlinkSocketError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // The path must fit with its NUL, and have no NUL inside.
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            let code = bytes.isEmpty || bytes.contains(0) ? EINVAL : ENAMETOOLONG
            throw VarlinkSocketError(operation: .path, errno: code, path: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static func bind(_ descriptor: CInt, to address: sockaddr_un) -> Bool {
        with(address) { Glibc.bind(descriptor, $0, $1) } == 0
    }

    private static func connect(_ descriptor: CInt, to address: sockaddr_un) -> Bool {
        while with(address, { Glibc.connect(descriptor, $0, $1) }) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private static func with(_ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
