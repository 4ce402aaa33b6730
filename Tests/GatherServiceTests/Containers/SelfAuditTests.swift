// The self-audit of a daemon: changes without an event are repaired, told to subscribers, and said in the log.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Logging
import Testing
import Varlink

@testable import GatherService

struct SelfAuditTests {
    @Test func `A file changed through a link outside the tree is repaired, told and logged`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/file")
        #expect(link(directory.path + "/tree/file", directory.path + "/outside") == 0)
        try directory.write("audit-interval = \"100ms\"\naudit-share = 1\n", to: "gatherd.toml")
        let log = LogRecorder(.info)
        try await DaemonFixture.run(directory: directory, log: log, adjust: { $0.configurationIsRequired = true }) {
            daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "size > 0", attributes: ["path"]))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            try directory.write("four", to: "outside")
            try await subscriber.next()
            #expect(Array(subscriber.items.values) == [daemon.tree + "/file"] && subscriber.violations == [])
            await subscriber.close()
            for await line in log.stream where line.contains("repaired changes without an event") {
                #expect(line.contains("the 1 directory of container 'tree'"))
                #expect(line.contains("0 added, 1 changed, 0 removed"))
                break
            }
        }
        #expect(log.all("self-audit").contains { $0.contains("0 added, 1 changed, 0 removed") })
    }
}
