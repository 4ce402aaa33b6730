// Values and Explain with analysis, over a real socket and a real tree.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct ValuesTests {
    private static let setxattr = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)

    private func values(
        _ daemon: DaemonFixture, _ attribute: String, _ predicate: String = "", scopes: [String]? = nil,
        limit: Int64? = nil, as user: OtherUser? = nil
    ) async throws -> [ValueCount] {
        try await daemon.call(
            QueryInterface.Values.self,
            .init(predicate: predicate, attribute: attribute, scopes: scopes, limit: limit), as: user
        ).values
    }

    private func error<Method: VarlinkMethod>(
        _ daemon: DaemonFixture, _ method: Method.Type, _ request: Method.Request
    ) async -> String {
        do { return "\(try await daemon.call(method, request))" } catch { return "\(error)" }
    }

    @Test func valuesAreCountedAsOfNow() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<60 {
                try daemon.directory.write(
                    String(repeating: "x", count: number % 3), to: "tree/d\(number % 2)/f\(number).\(number % 4)")
            }
            #expect(
                try await values(daemon, "kind") == [
                    .init(text: "file", count: 60), .init(text: "directory", count: 2),
                ])
            #expect(
                try await values(daemon, "size", "kind == 'file'")
                    == [.init(integer: 0, count: 20), .init(integer: 1, count: 20), .init(integer: 2, count: 20)])
            #expect(
                try await values(daemon, "fileExtension")
                    == (0..<4).map { ValueCount(text: "\($0)", count: 15) } + [ValueCount(count: 2)])
            #expect(try await values(daemon, "kMDItemFSInvisible") == [.init(flag: false, count: 62)])
            #expect(try await values(daemon, "size", "kind == 'file'", limit: 1) == [.init(integer: 0, count: 20)])
            #expect(try await values(daemon, "size", limit: 0).isEmpty)
            #expect(
                try await values(daemon, "fileExtension", scopes: [daemon.tree + "/d1"])
                    == [.init(text: "1", count: 15), .init(text: "3", count: 15)])
            let modified = try await values(daemon, "modified", "name == 'f1.1'")
            let item = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "name == 'f1.1'", attributes: ["modified"]))
            #expect(modified.map(\.text) == [item.items.first?.modified?.rfc3339])
            let owners = try await values(daemon, "ownerID")
            #expect(owners == [.init(integer: Int64(geteuid()), count: 62)])
            #expect(try await values(daemon, "owner").map(\.count) == [62])

            #expect(unlink(daemon.tree + "/d0/f0.0") == 0)
            #expect(try await values(daemon, "kind").first?.count == 59)
            #expect(
                await error(daemon, QueryInterface.Values.self, .init(predicate: "", attribute: "nmae")).contains(
                    "UnknownAttribute"))
            #expect(
                await error(daemon, QueryInterface.Values.self, .init(predicate: "name", attribute: "name")).contains(
                    "InvalidPredicate"))
            #expect(
                await error(daemon, QueryInterface.Values.self, .init(predicate: "", attribute: "name", limit: -1))
                    .contains("InvalidParameter"))
        }
    }

    private func steps(_ daemon: DaemonFixture, _ user: OtherUser?) async throws -> [Int64] {
        let request = QueryInterface.Explain.Request(predicate: "name == 'file'", analyze: true)
        return try await daemon.call(QueryInterface.Explain.self, request, as: user).steps?.map(\.rows) ?? []
    }

    @Test(.needsRoot("other users")) func callersAreToldOfWhatTheyMayRead() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        mkdir(directory.path + "/tree", 0o755)
        for (path, mode) in [("open", 0o644), ("closed", 0o600), ("secret/file", 0o644)] as [(String, UInt32)] {
            try directory.write("x", to: "tree/" + path)
            chmod(directory.path + "/tree/" + path, mode)
            let tags = Array("red,\(path)".utf8)
            #expect(Self.setxattr(directory.path + "/tree/" + path, "user.xdg.tags", tags, tags.count, 0) == 0)
        }
        chmod(directory.path + "/tree/secret", 0o700)
        let tree = directory.path + "/tree"
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            let user = OtherUser(user: 41_001, group: 42_001)
            #expect(
                try await values(daemon, "tags")
                    == [
                        .init(text: "red", count: 3), .init(count: 1), .init(text: "closed", count: 1),
                        .init(text: "open", count: 1), .init(text: "secret/file", count: 1),
                    ])
            #expect(
                try await values(daemon, "tags", as: user)
                    == [.init(count: 2), .init(text: "open", count: 1), .init(text: "red", count: 1)])
            let names = try await values(daemon, "name", as: user).compactMap(\.text)
            #expect(names == ["closed", "open", "secret"])

            // Each item, the name, and no archive around it.
            #expect(try await steps(daemon, nil) == [4, 1, 1])
            #expect(try await steps(daemon, user) == [3, 0, 0])
        }
    }

    @Test func explainTellsWhatEachStepLeft() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<20 { try daemon.directory.write("x", to: "tree/d\(number % 2)/f\(number)") }
            let predicate = "name BEGINSWITH 'f' AND name MATCHES 'f1.*'"
            let plain = try await daemon.call(QueryInterface.Explain.self, .init(predicate: predicate))
            #expect(plain.steps == nil)
            let analyzed = try await daemon.call(
                QueryInterface.Explain.self, .init(predicate: predicate, analyze: true))
            #expect(analyzed.canonical == plain.canonical)
            #expect(analyzed.steps?.first.map { [$0.rows, $0.microseconds] } == [22, 0])
            #expect(analyzed.steps?.last?.rows == 11)
            let below = try await daemon.call(
                QueryInterface.Explain.self, .init(predicate: predicate, scopes: [daemon.tree + "/d1"], analyze: true))
            #expect(below.steps?.last?.rows == 6)
            #expect(
                await error(daemon, QueryInterface.Explain.self, .init(predicate: "", scopes: ["no"], analyze: true))
                    .contains("UnknownScope"))
            #expect(
                await error(daemon, QueryInterface.Explain.self, .init(predicate: "size / 0 == 1", analyze: true))
                    .contains("EvaluationFailed"))
        }
    }
}
