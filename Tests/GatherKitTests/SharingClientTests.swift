// The client of the sharing helper, against a helper that plays a script.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

@testable import GatherKit

struct SharingClientTests {
    private static let here = "HEREAAA-BBBBBBB-CCCCCCC-DDDDDDD-EEEEEEE-FFFFFFF-GGGGGGG-HHHHHHH"
    private static let attic = "ATTICAA-BBBBBBB-CCCCCCC-DDDDDDD-EEEEEEE-FFFFFFF-GGGGGGG-HHHHHHH"

    private static func status(version: String = "1.29.5") -> String {
        """
        {"running":true,"version":"\(version)","devices":[
        {"identifier":"\(here)","name":"kitchen","here":true,"connected":false},
        {"identifier":"\(attic)","name":"attic","here":false,"connected":true,"address":"tcp://10.0.0.7:22000",
        "version":"1.19.2","lastSeen":"2026-11-26T12:00:00Z","receiving":1200,"sending":3},
        {"identifier":"PIXELAA-X","name":"","here":false,"connected":false,"asks":true}],
        "folders":[{"identifier":"gather-grocery","container":"grocery","path":"/srv/grocery","state":"syncing",
        "items":10,"bytes":1000,"missing":2,"missingBytes":250,
        "shares":[{"device":"\(attic)","completion":75.5,"missing":3,"missingBytes":245}]}],
        "offers":[{"device":"\(attic)","folder":"gather-photos","container":"photos"}]}
        """
    }

    @Test func statusIsRead() async throws {
        let helper = ScriptedDaemon()
        helper.start { connection in
            #expect(connection.receive().contains(#""method":"io.gatherd.Sharing.Status""#))
            connection.reply(Self.status())
        }
        let status = try await SharingClient(socket: SharingSocket(path: helper.path)).status()
        #expect(status.isRunning && status.version == "1.29.5" && status.reason == nil)
        #expect(status.thisDevice?.name == "kitchen")
        let attic = try #require(status.devices.first { $0.name == "attic" })
        #expect(attic.isConnected && !attic.isHere && !attic.asksToConnect && !attic.isPaused)
        #expect(attic.shortIdentifier == "ATTICAA" && attic.address == "tcp://10.0.0.7:22000")
        #expect(attic.lastSeen?.rfc3339.hasPrefix("2026-11-26T12:00:00") == true)
        #expect(attic.receivingRate == 1200 && attic.sendingRate == 3)
        #expect(status.devices.filter(\.asksToConnect).map(\.identifier) == ["PIXELAA-X"])
        let folder = try #require(status.folders(of: "grocery").first)
        #expect(folder.missingItems == 2 && folder.missingBytes == 250 && folder.state == "syncing")
        #expect(folder.shares.first?.completion == 75.5 && folder.shares.first?.missingBytes == 245)
        #expect(!folder.isInStep)
        #expect(status.devices(of: "grocery").map(\.name) == ["attic"])
        #expect(status.offers.first?.container == "photos" && status.offers.first?.isDocuments == false)
    }

    @Test(arguments: [
        ("gather-photos", "photos", "photos", false), ("gather-photos-documents", "photos documents", "photos", true),
        ("gather-my-documents", "my-documents", "my-documents", false),
        ("x-documents", "x documents", "x documents", false),
    ])
    func offerOfDocumentsBelongsToItsContainer(
        _ folder: String, _ label: String, _ container: ContainerIdentifier, _ isDocuments: Bool
    ) {
        let offer = SharingOffer(device: "A", folder: folder, container: label)
        #expect(offer.container == container && offer.isDocuments == isDocuments)
    }

    @Test func requestsHaveTheirParameters() async throws {
        let helper = ScriptedDaemon()
        let received = Mutex<[String]>([])
        let answer: ScriptedDaemon.Script = { connection in
            let message = connection.receive()
            received.withLock { $0.append(message) }
            connection.reply(message.contains(".Share\"") ? #"{"folders":[]}"# : "{}")
        }
        helper.start(answer, answer, answer, answer, answer)
        let client = SharingClient(socket: SharingSocket(path: helper.path))
        try await client.share("grocery", with: ["A"])
        try await client.unshare("grocery")
        try await client.unshare("grocery", with: ["A", "B"])
        try await client.addDevice("A", name: "attic", addresses: ["tcp://a:1"])
        try await client.removeDevice("A")
        struct Call: Decodable, Equatable {
            struct Parameters: Decodable, Equatable {
                var container: String?
                var devices: [String]?
                var device: String?
                var name: String?
                var addresses: [String]?
            }
            var method: String
            var parameters: Parameters
        }
        let calls = try received.withLock { $0 }.map { try JSONDecoder().decode(Call.self, from: Data($0.utf8)) }
        #expect(
            calls == [
                Call(method: "io.gatherd.Sharing.Share", parameters: .init(container: "grocery", devices: ["A"])),
                Call(method: "io.gatherd.Sharing.Unshare", parameters: .init(container: "grocery")),
                Call(
                    method: "io.gatherd.Sharing.Unshare", parameters: .init(container: "grocery", devices: ["A", "B"])),
                Call(
                    method: "io.gatherd.Sharing.AddDevice",
                    parameters: .init(device: "A", name: "attic", addresses: ["tcp://a:1"])),
                Call(method: "io.gatherd.Sharing.RemoveDevice", parameters: .init(device: "A")),
            ])
    }

    @Test(arguments: [
        ("NotRunning", #"{"reason":"connection refused"}"#, GatherError.Code.syncNotRunning, "connection refused"),
        ("NoSuchContainer", #"{"identifier":"x"}"#, .noSuchContainer, "'x'"),
        ("NotShared", #"{"identifier":"x"}"#, .notShared, "'x' is not shared"),
        ("NoSuchDevice", #"{"device":"D"}"#, .noSuchDevice, "'D'"),
        ("InvalidDevice", #"{"device":"D\u001b"}"#, .invalidDevice, "'D\\e' is no device ID"),
        ("NotUploaded", #"{"path":"/a","reason":"attic is away"}"#, .notUploaded, "/a stays here: attic is away"),
        ("NoSuchItem", #"{"path":"/a"}"#, .noSuchItem, "/a"),
        ("Failed", #"{"message":"disk full"}"#, .other, "disk full"),
    ])
    func errorsHaveCodesAndSentences(
        _ name: String, _ parameters: String, _ code: GatherError.Code, _ text: String
    ) async throws {
        let helper = ScriptedDaemon()
        helper.start { connection in
            _ = connection.receive()
            connection.fail("io.gatherd.Sharing." + name, parameters)
        }
        let client = SharingClient(socket: SharingSocket(path: helper.path))
        let error = await #expect(throws: GatherError.self) { try await client.share("x") }
        #expect(error?.code == code)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test func helperThatIsAwayOrOddIsTold() async throws {
        let helper = ScriptedDaemon()
        let client = SharingClient(socket: SharingSocket(path: helper.path))
        let away = await #expect(throws: GatherError.self) { try await client.status() }
        #expect(away?.code == .unreachable && away?.subject == helper.path)
        #expect(away?.message.contains("gather-syncd --socket \(helper.path)") == true)
        helper.start(
            { connection in
                _ = connection.receive()
                connection.reply(#"{"running":1}"#)
            },
            { connection in
                _ = connection.receive()
                connection.fail("org.varlink.service.PermissionDenied")
            },
            { connection in
                _ = connection.receive()
                connection.fail("org.varlink.service.MethodNotImplemented", #"{"method":"x"}"#)
            },
            { connection in
                _ = connection.receive()
                connection.reply(#"{"running":false,"reason":"no key","devices":[],"folders":[],"offers":[]}"#)
            })
        for code in [GatherError.Code.protocolViolation, .permissionDenied, .notImplemented] {
            let error = await #expect(throws: GatherError.self) { try await client.status() }
            #expect(error?.code == code)
            #expect(error?.message.contains("gather-syncd") == true, "\(error?.message ?? "")")
        }
        let error = await #expect(throws: GatherError.self) { try await client.devices(of: "x") }
        #expect(error?.code == .syncNotRunning && error?.message == "Syncthing does not answer: no key")
    }

    @Test func statusesFollowTheHelperOverARestart() async throws {
        let helper = ScriptedDaemon()
        let next = Gate()
        helper.start { connection in
            #expect(connection.receive().contains(#""more":true"#))
            connection.reply(Self.status(), continues: true)
            next.wait()
            // The same state is no change.
            connection.reply(Self.status(), continues: true)
            connection.reply(Self.status(version: "1.30"), continues: true)
            next.wait()
            helper.stop()
        }
        var statuses = SharingClient(socket: SharingSocket(path: helper.path)).statuses.makeAsyncIterator()
        #expect(try await statuses.next()?.version == "1.29.5")
        next.open()
        #expect(try await statuses.next()?.version == "1.30")
        next.open()
        let lost = try #require(try await statuses.next())
        #expect(!lost.isRunning && lost.devices.isEmpty && lost.reason?.contains("gather-syncd") == true)
        helper.start { connection in
            _ = connection.receive()
            connection.reply(Self.status(version: "1.31"), continues: true)
            connection.waitForEnd()
        }
        // The reason may change while the helper is away.
        while let status = try await statuses.next() {
            guard status.isRunning else { continue }
            #expect(status.version == "1.31")
            break
        }
    }

    @Test func progressOfItemsIsTold() async throws {
        let helper = ScriptedDaemon()
        helper.start(
            { connection in
                #expect(connection.receive().contains(#"["/a","/b"]"#))
                connection.reply(#"{"path":"/a","bytes":5}"#, continues: true)
                connection.reply(#"{"path":"/b","bytes":7}"#)
            },
            { connection in
                _ = connection.receive()
                connection.reply(#"{"path":"/a","done":0,"total":12}"#, continues: true)
                connection.reply(#"{"path":"/b","done":12,"total":12}"#)
            },
            { connection in
                _ = connection.receive()
                connection.reply(#"{"path":"/a","bytes":5}"#, continues: true)
                connection.fail("io.gatherd.Sharing.NotUploaded", #"{"path":"/b","reason":"no device has it"}"#)
            })
        let client = SharingClient(socket: SharingSocket(path: helper.path))
        var evicted: [EvictedItem] = []
        try await client.evict(["/a", "/b"]) { evicted.append($0) }
        #expect(evicted.map(\.path) == ["/a", "/b"] && evicted.map(\.bytes) == [5, 7])
        var progress: [DownloadProgress] = []
        try await client.download(["/a", "/b"]) { progress.append($0) }
        #expect(progress.map(\.done) == [0, 12] && progress.allSatisfy { $0.total == 12 })
        evicted = []
        let error = await #expect(throws: GatherError.self) {
            try await client.evict(["/a", "/b"]) { evicted.append($0) }
        }
        #expect(error?.code == .notUploaded && error?.subject == "/b" && evicted.map(\.path) == ["/a"])
    }

    // MARK: The blocking client

    @Test func waitWithoutAChangeIsTold() throws {
        let helper = ScriptedDaemon()
        let ticked = Gate()
        helper.start { connection in
            #expect(connection.receive().contains(#""more":true"#))
            connection.reply(Self.status(), continues: true)
            ticked.wait()
            connection.reply(Self.status(version: "2"))
        }
        var client = try BlockingSharingClient(SharingSocket(path: helper.path))
        var seen: [String?] = []
        var hasTicked = false
        try client.monitor(every: .milliseconds(1)) { status in
            if status == nil, !hasTicked {
                hasTicked = true
                seen.append(nil)
                ticked.open()
            } else if let status {
                seen.append(status.version)
            }
            return true
        }
        // A tick may come before the first state.
        #expect(seen.compactMap { $0 } == ["1.29.5", "2"] && seen.count == 3)
    }

    @Test func monitorEndsWhenItsReaderHasEnough() throws {
        let helper = ScriptedDaemon()
        helper.start { connection in
            _ = connection.receive()
            connection.reply(Self.status(), continues: true)
            connection.waitForEnd()
        }
        var client = try BlockingSharingClient(SharingSocket(path: helper.path))
        var count = 0
        try client.monitor(every: .milliseconds(60_000)) { status in
            count += 1
            return status == nil
        }
        #expect(count == 1)
    }
}
