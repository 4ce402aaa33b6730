// Changes of other processes, as a daemon reports them.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import GatherService
import Testing

@testable import GatherDocuments

struct KeyValueStoreFollowingTests {
    @Test func `Changes of another process arrive through the daemon`() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try EmbeddedDaemon(directories: [scratch.path], watches: true, warn: { Issue.record("\($0)") })
        defer { daemon.close() }
        let socket = DaemonSocket(
            InProcessDaemon(
                connect: { () throws(InProcessDaemon.Failure) in
                    do throws(EmbeddedDaemon.Failure) {
                        return try daemon.connect()
                    } catch {
                        throw InProcessDaemon.Failure(code: 5)
                    }
                }, end: {}))
        let directory = scratch.path + "/" + KeyValueStore.nameInContainer
        let settings = KeyValueSettings(autosaveDelay: nil)
        let device = try #require(DeviceIdentifier(text: "AAAAAAA", name: "test"))
        let reader = try KeyValueStore(directory: FilePath(directory), device: device, settings: settings)
        reader.follow(through: Daemon(socket))
        let writer = try KeyValueStore(directory: FilePath(directory), device: device, settings: settings)
        var changes = reader.changes.makeAsyncIterator()
        for number in 0..<20 {
            try writer.set(.integer(Int64(number)), forKey: "number")
            try await writer.synchronize()
            #expect(await changes.next() == KeyValueChange(reason: .serverChange, keys: ["number"]))
            #expect(reader.integer(forKey: "number") == Int64(number))
        }
        try await reader.close()
        #expect(await changes.next() == nil)
    }
}
