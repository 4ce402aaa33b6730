// The answers of a real Syncthing, as the client reads them.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Syncthing
import Testing

@Suite struct RecordedAnswerTests {
    private static let here = "YMGWDOY-UOA6QXZ-QVVNVYP-VOMIXSH-253QPVX-6YKUXEO-A5PYZYW-UCQW3AM"
    private static let other = "IQWUCQ5-YLTM7VV-HBYQMUV-ZRX25P5-RRD7PB7-ONOXCOM-WEOJMAZ-KBB3HA5"

    /// Asks a server that gives a recorded answer.
    private func ask<Value>(
        _ name: String, _ body: (SyncthingClient) async throws(SyncthingError) -> Value
    ) async throws -> Value {
        let bytes = try RecordedAnswer.bytes(name)
        let server = FakeSyncthing { _ in (FakeSyncthing.answer(bytes), .close) }
        defer { withExtendedLifetime(server) {} }
        let configuration = SyncthingConfiguration(address: .unix(path: server.path), key: "k")
        return try await body(SyncthingClient(configuration, on: MultiThreadedEventLoopGroup.singleton))
    }

    @Test func systemAndVersion() async throws {
        let status = try await ask("status") { (client) throws(SyncthingError) in try await client.systemStatus() }
        #expect(status.device == Self.here)
        #expect(status.startTime == "2026-11-26T12:59:23Z")
        #expect(status.home == "/srv/A")
        let version = try await ask("version") { (client) throws(SyncthingError) in try await client.version() }
        #expect(version.version == "v1.19.2-ds1")
        #expect(version.numbers.map { [$0.major, $0.minor] } == [1, 19])
        #expect(!version.carriesExtendedAttributes)
    }

    @Test func devicesAndConnections() async throws {
        let devices = try await ask("configdevices") { (client) throws(SyncthingError) in try await client.devices() }
        #expect(Set(devices.map(\.device)) == [Self.here, Self.other])
        #expect(devices.first { $0.device == Self.other }?.name == "B")
        #expect(devices.first { $0.device == Self.other }?.addresses == ["tcp://127.0.0.1:22102"])
        let connections = try await ask("connections") { (client) throws(SyncthingError) in
            try await client.connections()
        }
        #expect(connections[Self.other]?.isConnected == true)
        #expect(connections[Self.other]?.sent == 5_245_692)
        #expect(connections[Self.here]?.isConnected == false)
        let statistics = try await ask("statsdevice") { (client) throws(SyncthingError) in
            try await client.deviceStatistics()
        }
        #expect(statistics[Self.other]?.lastSeen == "2026-11-26T12:59:31Z")
    }

    @Test func folders() async throws {
        let folder = try #require(
            try await ask("configfolders") { (client) throws(SyncthingError) in try await client.folders() }.first)
        #expect(folder.folder == "gather-x")
        #expect(folder.path == "/srv/dataA")
        #expect(Set(folder.devices.map(\.device)) == [Self.here, Self.other])
        #expect(folder.maxConflicts == -1)
        #expect(folder.isCaseSensitive)
        #expect(!folder.watchesItself)
        #expect(folder.carriesExtendedAttributes == nil)
        #expect(folder.pullerPause == 0 && folder.reserve.value == 1 && folder.reserve.unit == "%")
        let offers = try await ask("pendingFolders") { (client) throws(SyncthingError) in
            try await client.pendingFolders()
        }
        #expect(offers["gather-x"]?[Self.here]?.label == "x")
    }

    @Test func statesOfAFolder() async throws {
        let idle = try await ask("dbstatus") { (client) throws(SyncthingError) in
            try await client.status(of: "gather-x")
        }
        #expect(idle.state == "idle" && idle.items == 3 && idle.bytes == 5_243_013 && idle.missing == 0)
        let stopped = try await ask("dbstatusmarker") { (client) throws(SyncthingError) in
            try await client.status(of: "gather-x")
        }
        #expect(stopped.state == "error" && stopped.deleted == 1)
        #expect(stopped.error?.hasPrefix("folder marker missing") == true)
        let paused = try await ask("dbstatuspaused") { (client) throws(SyncthingError) in
            try await client.status(of: "gather-x")
        }
        #expect(paused.state == "" && paused.items == 0)
    }

    /// 100 % and nothing missing, while the device has nothing: only `remoteneed` was right.
    @Test func itemsThatADeviceLacks() async throws {
        let records = try await ask("remoteneed") { (client) throws(SyncthingError) in
            try await client.remoteNeed(of: "gather-x", device: Self.other)
        }
        #expect(records.map(\.name) == ["a.txt", "dir", "dir/big"])
        #expect(records.map(\.isDirectory) == [false, true, false])
        #expect(records.first?.size == 5)
        let completion = try await ask("completion") { (client) throws(SyncthingError) in
            try await client.completion(of: "gather-x", device: Self.other)
        }
        #expect(completion.completion == 100 && completion.missing == 0)
        #expect(
            try await ask("need") { (client) throws(SyncthingError) in try await client.need(of: "gather-x") }.isEmpty)
    }

    @Test func fileAndTree() async throws {
        let entry = try #require(
            try await ask("file") { (client) throws(SyncthingError) in try await client.file("a.txt", of: "gather-x") })
        #expect(entry.local == entry.global)
        #expect(entry.local.modified == "2026-11-26T12:59:28.734977727Z")
        #expect(entry.local.modifiedBy == "YMGWDOY")
        #expect(entry.local.blocks == 1)
        #expect(entry.availability.map(\.device) == [Self.other])
        #expect(
            try await ask("browse") { (client) throws(SyncthingError) in try await client.browse("gather-x") } == [
                "a.txt", "dir", "dir/big",
            ])
        #expect(
            try await ask("ignores") { (client) throws(SyncthingError) in
                try await client.ignorePatterns(of: "gather-x")
            }.effective == ["*.tmp"])
        #expect(
            try await ask("folderErrors") { (client) throws(SyncthingError) in try await client.errors(of: "gather-x") }
                .isEmpty)
    }

    @Test func events() async throws {
        let events = try await ask("events") { (client) throws(SyncthingError) in try await client.events(since: 0) }
        let contents = events.map(\.content)
        #expect(events.first?.number == 1)
        #expect(contents.first == .other)
        #expect(contents.contains(.deviceConnected(device: Self.other)))
        #expect(contents.contains(.localIndexUpdated(folder: "gather-x", paths: ["dir", "a.txt", "dir/big"])))
        #expect(contents.contains(.remoteIndexUpdated(folder: "gather-x", device: Self.other)))
        #expect(contents.contains(.itemStarted(folder: "gather-x", path: "a.txt")))
        #expect(contents.contains(.itemFinished(folder: "gather-x", path: "a.txt", error: nil)))
        #expect(contents.contains(.stateChanged(folder: "gather-x", state: "syncing")))
        #expect(contents.contains(.folderCompletion(folder: "gather-x", device: Self.other, missing: 0)))
    }
}
