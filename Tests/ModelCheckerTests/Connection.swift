// A connection that speaks Varlink, made of a socket and Foundation's JSON: it shares nothing with the daemon's own.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel
import TestSupport

/// One connection to the daemon. Everything blocks, as long as a test waits for anything.
final class Connection {
    struct Closed: Error {}

    private let descriptor: CInt
    private var buffer: Bytes = []
    private var scanned = 0

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 { throw Closed() }
    }

    deinit { close(descriptor) }

    func send(_ method: String, _ parameters: [String: Any], more: Bool = false) throws {
        var call: [String: Any] = ["method": method, "parameters": parameters]
        if more { call["more"] = true }
        var rest = Bytes(try JSONSerialization.data(withJSONObject: call) + [0])[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { throw Closed() }
            rest = rest.dropFirst(sent)
        }
    }

    /// Calls a method and returns its one reply.
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try send(method, parameters)
        guard let reply = try next() else { throw Violation("\(method): no answer") }
        return reply
    }

    /// The parameters of the next reply; nil where none is there and it need not be waited for.
    func next(waiting: Bool = true) throws -> [String: Any]? {
        while true {
            if let message = take() { return try Connection.parameters(message) }
            guard try receive(waiting: waiting) else { return nil }
        }
    }

    /// The parameters of the next reply, after a read of no more than so many bytes.
    func next(reading count: Int) throws -> [String: Any]? {
        _ = try receive(waiting: false, count)
        return try take().map { try Connection.parameters($0) }
    }

    private func take() -> Bytes? {
        guard let end = buffer[scanned...].firstIndex(of: 0) else {
            scanned = buffer.count
            return nil
        }
        let message = Bytes(buffer[..<end])
        buffer.removeFirst(end + 1)
        scanned = 0
        return message
    }

    private func receive(waiting: Bool, _ limit: Int = 1 << 18) throws -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready: CInt
        repeat { ready = Glibc.poll(&poll, 1, waiting ? Patience.milliseconds : 0) } while ready < 0 && errno == EINTR
        if ready == 0 {
            if waiting { throw Violation("the daemon is stuck: no answer for \(Patience.seconds) s") }
            return false
        }
        var bytes = Bytes(repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        guard count > 0 else { throw Closed() }
        buffer += bytes[..<count]
        return true
    }

    private static func parameters(_ message: Bytes) throws -> [String: Any] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(message)) as? [String: Any] else {
            throw Violation("no JSON object: \(Bytes(message.prefix(200)).shown)")
        }
        let parameters = object["parameters"] as? [String: Any] ?? [:]
        if let error = object["error"] { throw Violation("the daemon refuses: \(error) \(parameters)") }
        return parameters
    }
}
