// A subscriber that takes its time: it is told of to whoever reads the log, and misses nothing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Logging
import Testing

@testable import GatherService

struct SlowSubscriberTests {
    @Test func `One that is far behind is named once, each time that it falls behind`() async throws {
        let log = LogRecorder(.notice)
        var limits = ServiceLimits()
        limits.pendingItemsReported = 500
        try await DaemonFixture.run(limits: limits, log: log) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "", attributes: ["path"]))
            try await subscriber.gather()
            let longName = String(repeating: "a", count: 200)
            var files = 0
            for round in 1...2 {
                // Unread updates fill its socket first.
                while log.all("subscriber-merged").count < round {
                    for _ in 0..<1_000 {
                        try daemon.directory.write("", to: "tree/\(longName)\(files)")
                        files += 1
                    }
                    try await daemon.flush()
                }
                for _ in 0..<2_000 {
                    try daemon.directory.write("", to: "tree/\(longName)\(files)")
                    files += 1
                }
                try await daemon.flush()
                #expect(log.all("subscriber-merged").count == round)
                while subscriber.items.count < files { try await subscriber.next() }
            }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }
}
