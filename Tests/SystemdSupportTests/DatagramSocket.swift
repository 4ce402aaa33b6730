// A Unix datagram socket that plays the service manager or the journal for a test.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Bound to a path, read without waiting: datagrams sent before are there, since `sendmsg` to a Unix socket returns only
/// when the datagram is queued.
final class DatagramSocket {
    let descriptor: CInt
    let path: String

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        let (result, error) = withSocketAddress(path) { bind(descriptor, $0, $1) }
        try #require(result == 0, "bind \(path): \(error)")
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next datagram's bytes; nil where none is queued.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer[..<count])
    }

    func receiveText() -> String? { receive().map { String(decoding: $0, as: UTF8.self) } }
}

func withSocketAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> (result: CInt, error: CInt) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    return (result, errno)
}

/// Makes an empty directory of its own, which the caller removes.
func makeTemporaryDirectory() throws -> String {
    var template = Array("/tmp/gather-systemd-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A socket of a kind, bound to a path and, if asked for, listening.
func makeSocket(kind: __socket_type, path: String, listening: Bool) throws -> CInt {
    let descriptor = socket(AF_UNIX, CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    let (result, error) = withSocketAddress(path) { bind(descriptor, $0, $1) }
    try #require(result == 0, "bind \(path): \(error)")
    if listening { try #require(listen(descriptor, 1) == 0) }
    return descriptor
}
