// A server that answers as a test wants it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Accepts connections on a Unix socket, reads one request from each, and answers with bytes.
final class FakeSyncthing: Sendable {
    /// The end of a connection after the bytes of an answer.
    enum End: Sendable {
        case close
        /// The connection stays open without another byte.
        case hang
    }

    let path: String
    private let listener: CInt
    private let held = Mutex<[CInt]>([])
    private let seen = Mutex<[String]>([])

    /// The requests so far, each with its headers.
    var requests: [String] { seen.withLock { $0 } }

    init(_ answer: @escaping @Sendable (_ request: String) -> (bytes: [UInt8], end: End)) {
        let path = NSTemporaryDirectory() + "fake-\(UUID().uuidString.prefix(8))"
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(code == 0 && listen(descriptor, 16) == 0)
        self.path = path
        listener = descriptor
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection, answer)
            }
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
        unlink(path)
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
