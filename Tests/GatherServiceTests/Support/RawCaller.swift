// A caller that says what no client library would.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestSupport
import Testing

/// A blocking connection, spoken to byte by byte.
final class RawCaller: Sendable {
    private let descriptor: CInt
    /// The received bytes that were not asked for yet.
    private let received = Mutex<ArraySlice<UInt8>>([])

    init(_ daemon: DaemonFixture, as user: OtherUser? = nil) throws {
        descriptor = try user?.connect(path: daemon.socket) ?? RawCaller.connect(daemon.socket)
        // A daemon that says nothing fails the test, and does not hang it.
        Patience.limit(descriptor)
    }

    deinit { close(descriptor) }

    private static func connect(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0, "connect: \(String(cString: strerror(errno)))")
        return descriptor
    }

    /// Sends bytes; false where the daemon has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a call with parameters as they stand here.
    @discardableResult
    func call(_ method: String, _ parameters: String, _ flags: String = "") -> Bool {
        send(Array("{\"method\":\"io.gatherd.\(method)\",\"parameters\":\(parameters)\(flags)}\0".utf8))
    }

    /// The next message; empty where the connection has ended.
    func next() -> String {
        received.withLock { received in
            var searched = received.startIndex
            while true {
                if let end = received[searched...].firstIndex(of: 0) {
                    defer { received = received[(end + 1)...] }
                    return String(decoding: received[..<end], as: UTF8.self)
                }
                searched = received.endIndex
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return "" }
                received += chunk[..<count]
            }
        }
    }

    /// The name of the error that comes next, without its interface.
    func error() -> String {
        let message = next()
        guard let start = message.firstRange(of: "{\"error\":\"")?.upperBound else { return message }
        let name = message[start...].prefix { $0 != "\"" }
        return String(name[(name.lastIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex)...])
    }

    /// Whether the daemon has closed the connection: nothing more comes.
    var isClosed: Bool {
        var byte: UInt8 = 0
        return received.withLock(\.isEmpty) && recv(descriptor, &byte, 1, 0) <= 0
    }

    /// Whether something has come that was not asked for yet.
    var hasReceived: Bool {
        var byte: UInt8 = 0
        let flags = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
        return !received.withLock(\.isEmpty) || recv(descriptor, &byte, 1, flags) > 0
    }

    func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }
}
