// Questions with one answer, and containers, against a daemon that plays the contract.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metadata
import Testing

@testable import GatherKit

struct GatherClientTests {
    private let daemon = ScriptedDaemon()
    private var client: GatherClient { GatherClient(socket: DaemonSocket(path: daemon.path)) }

    private static func container(_ identifier: String, path: String = "/c", state: String = "live") -> String {
        """
        {"identifier":"\(identifier)","path":"\(path)","state":"\(state)","origin":"argument","items":3,"directories":1,\
        "watches":2,"polled":0,"unreadable":0,"packages":[],"ignore":[".git"],"clock":"k"}
        """
    }

    @Test func `Finds in batches`() async throws {
        let milk = PlayedFile(id: "a", path: "/c/milk"), bread = PlayedFile(id: "b", path: "/c/bread")
        daemon.start { connection in
            #expect(
                connection.receive() == """
                    {"method":"io.gatherd.Query.Find","parameters":{"predicate":"","scopes":["/t"],"attributes":["path",\
                    "tags"],"sort":[{"attribute":"size","ascending":false}],"limit":5,"sync":false,"timeout":1500\
                    \(ScriptedDaemon.zone)},\
                    "more":true}
                    """)
            connection.reply("{\"items\":[\(milk.json)],\"clock\":\"1\"}", continues: true)
            connection.reply("{\"items\":[\(bread.json)],\"inexact\":[\"x\"],\"clock\":\"1\"}")
            connection.waitForEnd()
        }
        let result = try await client.find(
            "", scopes: [.directory("/t")], attributes: [.path, .tags], sort: [SortKey(.size, ascending: false)],
            limit: 5, freshness: .asKnown, timeout: .seconds(1.5))
        #expect(result.items == [milk.item(), bread.item()])
        #expect(result.inexactContainers == ["x"])
        #expect(result.clock == "1")
    }

    @Test func `Paths go by in their own bytes`() throws {
        daemon.start { connection in
            #expect(connection.receive().contains("\"attributes\":[\"path\"]"))
            connection.reply(
                """
                {"items":[{"id":"a","path":"/c/\\u00e4"},{"id":"b","path":"/c/\u{FFFD}","rawPath":"L2Mv/w=="}],"clock":"1"}
                """)
            connection.waitForEnd()
        }
        var client = try BlockingClient(DaemonSocket(path: daemon.path))
        var paths: [[UInt8]] = []
        var batches = 0
        let summary = try client.findPaths(
            Search(predicate: ""), { paths.append(Array($0)) }, finishBatch: { batches += 1 })
        #expect(paths == [Array("/c/ä".utf8), Array("/c/".utf8) + [0xFF]])
        #expect(batches == 1)
        #expect(summary.count == 2)
    }

    @Test func `Counts, explains, flushes`() async throws {
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"count\":7,\"clock\":\"1\"}")
            },
            { connection in
                _ = connection.receive()
                connection.reply("{\"canonical\":\"a\",\"attributes\":[\"name\"],\"plan\":\"scan\"}")
            },
            { connection in
                #expect(connection.receive() == "{\"method\":\"io.gatherd.Query.Flush\",\"parameters\":{}}")
                connection.reply("{\"clock\":\"9\"}")
            })
        #expect(try await client.count("").count == 7)
        #expect(try await client.explain("a").plan == "scan")
        #expect(try await client.flush() == "9")
    }

    @Test(arguments: [
        (
            "io.gatherd.Query.UnknownAttribute", "{\"attribute\":\"colour\"}", GatherError.Code.unknownAttribute,
            "colour"
        ),
        ("io.gatherd.Query.LimitExceeded", "{\"limit\":\"nodes\",\"value\":10000}", .limitExceeded, "nodes"),
        ("io.gatherd.Query.SyncTimeout", "{\"containers\":[\"big\"]}", .syncTimeout, "big"),
        ("io.gatherd.Container.NoSuchContainer", "{\"identifier\":\"x\"}", .noSuchContainer, "x"),
        ("org.varlink.service.PermissionDenied", "{}", .permissionDenied, "root"),
        ("org.varlink.service.MethodNotImplemented", "{\"method\":\"M\"}", .notImplemented, "M"),
        (
            "io.gatherd.Service.InvalidConfiguration", "{\"file\":\"/f\",\"line\":3,\"message\":\"m\"}",
            .invalidConfiguration, "/f:3"
        ),
        (
            "io.gatherd.Service.InvalidConfiguration", "{\"file\":\"/f\",\"line\":0,\"message\":\"m\"}",
            .invalidConfiguration, "/f: m"
        ),
        ("com.example.Unheard", "{}", .other, "com.example.Unheard"),
    ])
    func `Errors have a code and a sentence`(
        _ name: String, _ parameters: String, _ code: GatherError.Code, _ word: String
    ) async throws {
        daemon.start { connection in
            _ = connection.receive()
            connection.fail(name, parameters)
        }
        let error = await #expect(throws: GatherError.self) { try await client.count("") }
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true)
    }

    @Test func `A connection that ends before the answer is lost`() async throws {
        daemon.start { connection in _ = connection.receive() }
        let error = await #expect(throws: GatherError.self) { try await client.count("") }
        #expect(error?.code == .connectionLost)
    }

    @Test func `A container's documents are made when missing, its own directory never`() async throws {
        let directory = daemon.directory + "/box"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        daemon.start { connection in
            _ = connection.receive()
            connection.reply("{\"container\":\(Self.container("box", path: directory))}")
        }
        let container = try await Container(identifier: "box", daemon: client.daemon)
        #expect(container.data.string == directory)
        #expect(try container.documents().string == directory + "/Documents")
        #expect(FileManager.default.fileExists(atPath: directory + "/Documents"))
        #expect(try container.documents().string == directory + "/Documents")

        try FileManager.default.removeItem(atPath: directory)
        let error = #expect(throws: GatherError.self) { try container.documents() }
        #expect(error?.code == .containerUnavailable)
        try Data().write(to: URL(filePath: directory))
        #expect(throws: GatherError.self) { try container.documents() }
    }

    /// Plays ssh(1) to a machine whose daemon has one container.
    private static func remote(_ path: String, sharing: SharingSocket) throws -> Daemon {
        let reply = "{\"parameters\":{\"container\":\(container("box", path: path))}}"
        let program = ["/bin/sh", "-c", "head -c 1 > /dev/null; printf '%s\\0' '\(reply)'; exec cat > /dev/null"]
        let host = try #require(RemoteHost("attic"))
        return Daemon(DaemonSocket(host: host, program: program), sharing: sharing)
    }

    @Test func filesAndDevicesOfAContainerOnAnotherMachineAreRefused() async throws {
        let directory = daemon.directory + "/box"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // The helper of this machine would answer for a container of its own.
        daemon.start { connection in
            _ = connection.receive()
            connection.reply(#"{"running":true,"devices":[],"folders":[],"offers":[]}"#)
        }
        let container = try await Container(
            identifier: "box", daemon: Self.remote(directory, sharing: SharingSocket(path: daemon.path)))
        #expect(container.data.string == directory)
        let documents = #expect(throws: GatherError.self) { try container.documents() }
        let devices = await #expect(throws: GatherError.self) { try await container.devices }
        for error in [documents, devices] {
            #expect(error?.code == .containerUnavailable && error?.subject == "box")
            #expect(error?.message.contains("'box' is on attic") == true, "\(error?.message ?? "")")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
    }

    @Test func `Availability is told now and at each change, the daemon's own included`() async throws {
        let next = Gate(), gone = Gate()
        let daemon = daemon
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"container\":\(Self.container("box"))}")
            },
            { connection in
                _ = connection.receive()
                connection.reply("{\"containers\":[\(Self.container("box", state: "crawling"))]}", continues: true)
                next.wait()
                connection.reply("{\"containers\":[\(Self.container("box"))]}", continues: true)
                connection.reply(
                    "{\"containers\":[\(Self.container("box")),\(Self.container("other"))]}", continues: true)
                connection.reply("{\"containers\":[\(Self.container("box", state: "unavailable"))]}", continues: true)
                connection.reply("{\"containers\":[]}", continues: true)
                gone.wait()
                daemon.stop()
            })
        var changes = try await Container(identifier: "box", daemon: client.daemon).availability.makeAsyncIterator()
        #expect(try await changes.next() == .available(.crawling))
        next.open()
        #expect(try await changes.next() == .available(.live))
        #expect(try await changes.next() == .unavailable(reason: "the directory /c is missing"))
        #expect(try await changes.next() == .unavailable(reason: "there is no container 'box'"))
        gone.open()
        guard case .unavailable? = try await changes.next() else {
            Issue.record("the daemon's absence is not told")
            return
        }
        daemon.start { connection in
            _ = connection.receive()
            connection.reply("{\"containers\":[\(Self.container("box"))]}", continues: true)
            connection.waitForEnd()
        }
        while let change = try await changes.next() { if change == .available(.live) { break } }
    }
}
