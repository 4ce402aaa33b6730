// The interfaces of Syncthing and of gather-syncd, without code of the product.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Testing

extension SyncMachine {
    /// Syncthing answered a request with an error.
    struct RefusedRequest: Error {
        var answer: String
    }

    /// An answer of `io.gatherd.Sharing`.
    struct Answer {
        var error: String?
        var parameters: [String: Any]

        func list(_ name: String) -> [[String: Any]] { parameters[name] as? [[String: Any]] ?? [] }
    }

    /// Calls a method of `io.gatherd.Sharing`.
    @discardableResult
    func sharing(_ method: String, _ parameters: [String: Any] = [:]) async throws -> Answer {
        try await call("io.gatherd.Sharing." + method, parameters, at: directory + "/helper")
    }

    /// Calls a method of `io.gatherd.Sync` for the session of the helper.
    @discardableResult
    func sync(_ method: String, _ parameters: [String: Any] = [:]) async throws -> Answer {
        var number = 0
        while true {
            number += 1
            let answer = try await call(
                "io.gatherd.Sync." + method, parameters.merging(["session": number]) { $1 }, at: socket.path)
            if answer.error != "NoSuchSession" || number > 1000 { return answer }
        }
    }

    private func call(_ method: String, _ parameters: [String: Any], at path: String) async throws -> Answer {
        let request = try JSONSerialization.data(withJSONObject: ["method": method, "parameters": parameters])
        let reply = try await exchange(path, Array(request) + [0], until: 0)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(reply)) as? [String: Any])
        return Answer(
            error: (object["error"] as? String)?.split(separator: ".").last.map(String.init),
            parameters: object["parameters"] as? [String: Any] ?? [:])
    }

    /// Shares the container with other machines, as `gather share` and `gather join` do.
    func share(with others: [SyncMachine]) async throws {
        for other in others {
            let added = try await sharing(
                "AddDevice",
                ["device": other.device, "name": other.name, "addresses": ["tcp://127.0.0.1:\(other.port)"]])
            try #require(added.error == nil, "\(added)")
        }
        let shared = try await sharing("Share", ["container": "box", "devices": others.map(\.name)])
        try #require(shared.error == nil, "\(shared)")
    }

    /// Asks Syncthing's REST interface.
    @discardableResult
    func rest(_ method: String = "GET", _ path: String, _ body: [String: Any]? = nil) async throws -> Any {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        // Syncthing closes the connection after an answer to HTTP/1.0.
        let head = "\(method) \(path) HTTP/1.0\r\nX-API-Key: key\r\nContent-Length: \(data.count)\r\n\r\n"
        let answer = try await exchange(directory + "/syncthing", Array(head.utf8) + data, until: nil)
        let text = String(decoding: answer, as: UTF8.self)
        guard text.contains(" 200 ") else { throw RefusedRequest(answer: text) }
        let start = try #require(text.range(of: "\r\n\r\n")).upperBound
        guard start < text.endIndex else { return [String: Any]() }
        return try JSONSerialization.jsonObject(with: Data(text[start...].utf8), options: .fragmentsAllowed)
    }

    /// Whether this Syncthing carries extended attributes, as it does from 1.22 on.
    var carriesTags: Bool {
        get async throws {
            let version = try await rest("GET", "/rest/system/version") as? [String: Any]
            let numbers = (version?["version"] as? String ?? "").dropFirst().split(separator: ".").prefix(2)
            return !numbers.map { Int($0) ?? 0 }.lexicographicallyPrecedes([1, 22])
        }
    }

    /// Returns what another machine lacks of a folder, as Syncthing's interface tells, without the files of the helpers.
    func lacking(_ other: SyncMachine, _ folder: String = "gather-box") async throws -> Set<String> {
        let answer =
            try await rest("GET", "/rest/db/remoteneed?folder=\(folder)&device=\(other.device)") as? [String: Any]
        let files = answer?["files"] as? [[String: Any]] ?? []
        let names = files.filter { $0["deleted"] as? Bool != true }.compactMap { $0["name"] as? String }
        return Set(names.filter { !$0.hasPrefix(".gather-sync") })
    }

    private func exchange(_ path: String, _ request: [UInt8], until end: UInt8?) async throws -> [UInt8] {
        let result: Result<[UInt8], any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Result { try Self.exchange(path, request, end) }) }
        }
        return try result.get()
    }

    private static func exchange(_ path: String, _ request: [UInt8], _ end: UInt8?) throws -> [UInt8] {
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0, "\(path): \(String(cString: strerror(errno)))")
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            try #require(count >= 0)
            if count == 0 { return answer }
            answer += part[..<count]
            if let end, let index = answer.firstIndex(of: end) { return Array(answer[..<index]) }
        }
    }
}
