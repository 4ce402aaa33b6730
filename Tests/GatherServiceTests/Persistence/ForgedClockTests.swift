// Forged clocks, and those that were given at odd moments: the difference is exact, or everything is fresh.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing

@testable import GatherService

struct ForgedClockTests {
    @Test(arguments: ["kind == 'file'", "kind == 'file' AND modified > $time.now(-3600)"])
    func forgedClocksGiveExactDifferencesOrStartOver(predicate: String) async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<5 { try daemon.directory.write("", to: "tree/f\(number)") }
            let subscriber = try await Subscriber(daemon, .init(predicate: predicate))
            try await subscriber.gather()
            let text = try #require(subscriber.lastClock)
            let clock = try #require(QueryClock(text: text))
            try daemon.directory.write("", to: "tree/f5")
            while subscriber.items.count < 6 { try await subscriber.next() }
            await subscriber.close()
            let most = UInt64.max
            var forged: [QueryClock] = []
            for run in [0, 1, clock.run, clock.run &+ 1, most] {
                for sequence in [0, 1, clock.sequence, clock.sequence + 1_000_000, most] {
                    for question in [0, clock.question, most] {
                        forged.append(QueryClock(run: run, sequence: sequence, question: question))
                        for moment in [Int64.min, .min + 1, -1, 0, clock.moment ?? 0, .max] {
                            forged.append(QueryClock(run: run, sequence: sequence, question: question))
                            forged[forged.count - 1].moment = moment
                        }
                    }
                }
            }
            var texts = forged.map(\.text)
            texts += [
                "", "-", "--", "---", "0-0-0-0-0", text + "0", "-" + text, text + "-", text.uppercased() + "-\u{0}",
            ]
            texts += ["\(String(repeating: "f", count: 100_000))-0-0", "ffffffffffffffffff-0-0", "+1-+1-+1", "日-本-語"]
            var resumed = 0
            for text in texts {
                let subscriber = try await Subscriber(daemon, .init(predicate: predicate, since: text))
                var isFresh = false
                while true {
                    let reply = try await subscriber.next()
                    if reply.event == .started { isFresh = reply.fresh ?? false }
                    if reply.event == .gathered { break }
                }
                if isFresh {
                    #expect(subscriber.items.count == 6, "since \(text.prefix(80))")
                } else {
                    resumed += 1
                    // One that was given for this question, or differs from it by a moment or an earlier sequence alone.
                    let clock = QueryClock(text: text)
                    #expect(clock.map { $0.run != 0 && $0.run != most && $0.sequence < 1_000 } ?? false, "\(text)")
                }
                await subscriber.close()
            }
            #expect(resumed > 0 && resumed < texts.count / 4)
        }
    }

    /// Snapshots of a container whose items are back and being verified are ahead of every clock.
    @Test func aClockFromWhileItIsVerified() async throws {
        let directory = try TemporaryDirectory()
        for number in 0..<300 { try directory.write("x", to: "tree/d\(number)/f") }
        try await DaemonFixture.run(directory: directory) { daemon in
            let away = directory.path + "/away"
            let find = QueryInterface.Find.Request(predicate: "kind == 'file'", attributes: ["path"], sync: false)
            for round in 0..<5 {
                #expect(rename(daemon.tree, away) == 0)
                while try await !daemon.find("kind == 'file'", sync: false).isEmpty {}
                for number in 0..<300 where (number + round) % 3 == 0 {
                    rename("\(away)/d\(number)/f", "\(away)/d\(number)/g")
                    try directory.write("x", to: "away/d\(number)/f")
                }
                #expect(rename(away, daemon.tree) == 0)
                var told: [String: [String: String]] = [:]
                while told.count < 200 {
                    let reply = try await daemon.call(QueryInterface.Find.self, find)
                    var items: [String: String] = [:]
                    for item in reply.items { items[item.id] = item.path }
                    told[reply.clock] = items
                    // Verified, and everything taken.
                    if reply.inexact == nil, !items.isEmpty { break }
                }
                let expected = Set(try await daemon.find("kind == 'file'"))
                for (clock, items) in told {
                    let subscriber = try await Subscriber(
                        daemon, .init(predicate: find.predicate, attributes: ["path"], since: clock), holding: items)
                    try await subscriber.gather()
                    #expect(subscriber.violations.isEmpty, "round \(round), clock \(clock)")
                    let held = subscriber.items.values.map { String($0.dropFirst(daemon.tree.count + 1)) }
                    #expect(Set(held) == expected && held.count == expected.count, "round \(round), clock \(clock)")
                    await subscriber.close()
                }
            }
        }
    }
}
