// What one start leaves is what the next goes on from: the daemon is started once more than it takes to see the first.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Testing

@testable import GatherService

@Suite(.timeLimit(.minutes(20))) struct StartAfterStartTests {
    private func whenSaved(_ daemon: DaemonFixture) async throws {
        try await daemon.flush()
        // Each question is a turn of the loop.
        while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil { await Task.yield() }
    }

    /// Makes a file in a container, and waits until a subscriber has it; its identifier.
    private func add(_ name: String, _ daemon: DaemonFixture, _ subscriber: Subscriber) async throws -> String {
        try daemon.directory.write("", to: name)
        while true {
            if let (id, _) = subscriber.items.first(where: { $0.value.hasSuffix("/" + name) }) { return id }
            try await subscriber.next()
        }
    }

    private func damage(_ file: String, at offset: Int) throws {
        let file = try Entry.openForWriting(file, mode: 0o600, truncate: false)
        #expect(lseek(file.number, offset, SEEK_SET) == offset)
        try file.writeAll([0x5A])
    }

    @Test(arguments: ["damaged", "ignoring"])
    func `That indexes are of no use costs clocks once, and the journal never`(why: String) async throws {
        let directory = try TemporaryDirectory()
        let others = ["tree", "third"]
        for name in ["second"] + others { try directory.write("", to: name + "/x") }
        let containers = Dictionary(uniqueKeysWithValues: (["second"] + others).map { ($0, directory.path + "/" + $0) })
        var request = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
        request.scopes = [directory.path + "/second"]
        var items: [String: String] = [:]
        for start in 0..<4 {
            if start == 1, why == "damaged" {
                // A block: whose indexes they are can be read.
                for name in others {
                    let file = directory.path + "/state/saved/index-" + name
                    try damage(file, at: Entry.openForReading(file).size() * 3 / 4)
                }
            }
            let log = LogRecorder()
            try await DaemonFixture.run(
                containers: containers, directory: directory, log: log,
                adjust: {
                    guard start > 0, why == "ignoring" else { return }
                    for place in $0.containers.indices where others.contains($0.containers[place].identifier) {
                        $0.containers[place].ignore = ["ignored"]
                    }
                }
            ) { daemon in
                let back = try await Subscriber(daemon, request, holding: items)
                let isFresh = try await back.next().fresh == true
                #expect(isFresh == (start == 1), "start \(start)")
                try await back.gather()
                _ = try await add("second/file\(start)", daemon, back)
                #expect(back.violations == [])
                #expect(back.items.count == start + 2)
                try await whenSaved(daemon)
                (items, request.since) = (back.items, back.lastClock)
                await back.close()
            }
            #expect(!log.all.contains { $0.contains("journal") }, "\(log.all)")
            #expect(!directory.exists("state/saved/journal.damaged"))
        }
    }
}
