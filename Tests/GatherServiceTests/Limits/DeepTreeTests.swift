// The removal of deep trees by one user, beside the questions of another.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Testing

@testable import GatherService

struct DeepTreeTests {
    private func makeChain(_ directory: String, _ first: String, _ depth: Int) throws {
        var above = try Directory.open(directory, access: .path)
        var name = first
        for _ in 0..<depth {
            try Directory.make(name, in: above.number, mode: 0o755)
            let below = try Directory.open(name, beneath: above.number, access: .path)
            above = below
            name = "directory"
        }
    }

    private func value(_ name: String, _ daemon: DaemonFixture) async throws -> Double? {
        let metrics = try await daemon.call(ServiceInterface.Metrics.self, .init()).metrics
        return metrics.first { $0.name == "gatherd_" + name }?.value
    }

    /// Look-ups in removed directories wait until the topmost one is known to be gone. They are counted: each costs the loop
    /// little, and is neither made again and again nor given up for a comparison of the whole container.
    @Test func statusIsAnsweredWhileDeepTreesAreRemoved() async throws {
        let (chains, depth) = (6, 300)
        try await DaemonFixture.run { daemon in
            for chain in 0..<chains { try makeChain(daemon.tree, "chain\(chain)", depth) }
            try await daemon.flush()
            let everything = QueryInterface.Count.Request(predicate: "kind == 'directory'")
            #expect(try await daemon.call(QueryInterface.Count.self, everything).count == Int64(chains * depth))
            for chain in 0..<chains {
                #expect(TemporaryDirectory.run("/bin/rm", "-rf", "\(daemon.tree)/chain\(chain)") == 0)
                // On a connection of its own, and not behind what is queued.
                _ = try await daemon.call(ServiceInterface.Status.self, .init())
            }
            #expect(try await daemon.call(QueryInterface.Count.self, everything).count == 0)
            #expect(try await value("look_ups_abandoned_total", daemon) == 0)
            #expect(try await value("comparisons_total", daemon) == 0)
            let deferred = try #require(try await value("look_ups_deferred_total", daemon))
            #expect(deferred <= Double(4 * chains * depth))
        }
    }
}
