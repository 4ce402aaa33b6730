// A server that answers as a test wants it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Syncthing
import TestSupport

/// Accepts connections on a Unix socket or a port, reads one request from each, and answers with bytes.
final class FakeSyncthing: Sendable {
    /// The end of a connection after the bytes of an answer.
    enum End: Sendable {
        case close
        /// The connection stays open without another byte.
        case hang
    }

    /// Where a server listens.
    enum Place: Sendable, CaseIterable {
        case unix, port, portOfIPv6
        /// A socket of IPv6 that takes connections of IPv4.
        case dualStack
    }

    /// The path of the Unix socket; empty for a port.
    let path: String
    let address: SyncthingAddress
    private let listener: CInt
    private let held = Mutex<[CInt]>([])
    private let seen = Mutex<[String]>([])

    /// The requests so far, each with its headers.
    var requests: [String] { seen.withLock { $0 } }

    /// Listens. The kernel shows connections as accepted by `user`, if given, which takes root.
    init(
        at place: Place = .unix, as user: UInt32? = nil,
        _ answer: @escaping @Sendable (_ request: String) -> (bytes: [UInt8], end: End)
    ) {
        (listener, path, address) = FakeSyncthing.listen(place)
        let descriptor = listener
        Thread.detachNewThread { [weak self] in
            // The call is of a thread alone (setfsuid(2)).
            if let user { _ = cFunction("setfsuid", as: (@convention(c) (UInt32) -> CInt).self)(user) }
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection, answer)
            }
        }
    }

    /// Listens at a place.
    static func listen(_ place: Place) -> (descriptor: CInt, path: String, address: SyncthingAddress) {
        func bound<Address>(_ family: CInt, _ address: Address) -> CInt {
            let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            var isNarrow: CInt = place == .portOfIPv6 ? 1 : 0
            if family == AF_INET6 {
                setsockopt(
                    descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &isNarrow, socklen_t(MemoryLayout<CInt>.size))
            }
            var address = address
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
            precondition(code == 0 && Glibc.listen(descriptor, 16) == 0)
            return descriptor
        }
        func port<Address>(_ descriptor: CInt, _ address: Address, _ member: KeyPath<Address, in_port_t>) -> Int {
            var address = address
            var length = socklen_t(MemoryLayout<Address>.size)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return Int(UInt16(bigEndian: address[keyPath: member]))
        }
        switch place {
        case .unix:
            let path = NSTemporaryDirectory() + "fake-\(UUID().uuidString.prefix(8))"
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return (bound(AF_UNIX, address), path, .unix(path: path))
        case .port:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let descriptor = bound(AF_INET, address)
            return (descriptor, "", .loopback(host: "127.0.0.1", port: port(descriptor, address, \.sin_port)))
        case .portOfIPv6, .dualStack:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            if place == .portOfIPv6 { address.sin6_addr = in6addr_loopback }
            let descriptor = bound(AF_INET6, address)
            let host = place == .dualStack ? "127.0.0.1" : "::1"
            return (descriptor, "", .loopback(host: host, port: port(descriptor, address, \.sin6_port)))
        }
    }

    /// An answer with a status and a body.
    convenience init(status: Int = 200, _ body: String) {
        self.init { _ in (FakeSyncthing.answer(status: status, Array(body.utf8)), .close) }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        for descriptor in held.withLock({ $0 }) { close(descriptor) }
        if !path.isEmpty { unlink(path) }
    }

    static func answer(status: Int = 200, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    private func serve(_ connection: CInt, _ answer: (String) -> (bytes: [UInt8], end: End)) {
        var request: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { break }
            request += part[..<count]
        }
        let text = String(decoding: request, as: UTF8.self)
        seen.withLock { $0.append(text) }
        let (bytes, end) = answer(text)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        switch end {
        case .close: close(connection)
        case .hang: held.withLock { $0.append(connection) }
        }
    }
}
