// Live queries of containers whose directories change places at random.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import GatherService

@Suite struct ExchangedContainerTests {
    private static let seeds = TestLength.seeds(3, long: 30)
    private static let rounds = 12
    private static let names = ["c", "d", "e"]
    /// The containers' directories, and where one waits while others change places.
    private static let places = ["above/c", "above/d", "beside/c", "waiting"]

    @Test(arguments: seeds) func subscribersOfExchangedContainersEqualAWalk(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        for place in Self.places.prefix(3) {
            for name in ["same", "below/same", "of-\(place.replacing("/", with: "-"))"] {
                try directory.write(place, to: "\(place)/\(name)")
            }
        }
        let containers = Dictionary(
            uniqueKeysWithValues: zip(Self.names, Self.places).map { ($0, "\(directory.path)/\($1)") })
        try await DaemonFixture.run(containers: containers, directory: directory) { daemon in
            let all = try await Subscriber(daemon, .init(predicate: "", attributes: ["path"], heartbeat: 50))
            try await all.gather()
            for round in 0..<Self.rounds {
                var changes: [String] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    changes.append(change(directory.path, using: &random))
                }
                let context = "seed \(seed) round \(round): \(changes.joined(separator: ", "))"
                let flushed = try await daemon.call(QueryInterface.Flush.self, .init()).clock
                let sequence = try #require(QueryClock(text: flushed)?.sequence)
                while (all.lastClock.flatMap { QueryClock(text: $0)?.sequence } ?? 0) < sequence {
                    try await all.next()
                }
                let expected = Self.places.prefix(3).flatMap { Self.walk("\(directory.path)/\($0)") }.sorted()
                #expect(all.items.values.sorted() == expected, "\(context)")
                #expect(all.violations.isEmpty, "\(context)")
                for container in try await daemon.call(ContainerInterface.List.self, .init()).containers {
                    let isThere = access(container.path, F_OK) == 0
                    #expect(container.state == (isThere ? .live : .unavailable), "\(context): \(container.path)")
                }
            }
            await all.close()
        }
    }

    /// Has two places change what they hold, or moves a directory to a place that is free.
    private func change(_ top: String, using random: inout SeededGenerator) -> String {
        let all = Self.places + ["above", "beside"]
        let (a, b) = (all.randomElement(using: &random) ?? "", all.randomElement(using: &random) ?? "")
        if (try? Entry.rename("\(top)/\(a)", to: "\(top)/\(b)", mode: .exchange)) != nil { return "exchange \(a) \(b)" }
        return rename("\(top)/\(a)", "\(top)/\(b)") == 0 ? "move \(a) \(b)" : "nothing"
    }

    /// The paths below a directory, as `readdir` shows them.
    private static func walk(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: record.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            found += ["\(path)/\(name)"] + walk("\(path)/\(name)")
        }
        return found
    }
}
