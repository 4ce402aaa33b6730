// Random writers, kills, wrong clocks, stale files and partial replication end with the same dictionary everywhere.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import GatherDocuments

@Suite struct KeyValueStoreRandomTests {
    private static let trials = TestLength.isLong ? 24_000 : 2_400
    private static let trialsInPart = 200

    @Test(arguments: TestLength.part(of: 0..<trials / trialsInPart, oneIn: 4))
    func `Machines that have the same files have the same dictionary`(part: Int) async throws {
        var (trace, expectations, keys) = ([String](), 0, 0)
        for number in 0..<Self.trialsInPart {
            let seed = UInt64(part * Self.trialsInPart + number)
            let world = try KeyValueWorld(seed: seed, firstLine: trace.count)
            let dictionaries = try world.play()
            let first = try #require(dictionaries.first)
            try #require(dictionaries.allSatisfy { $0 == first }, "seed \(seed): \(dictionaries)")
            trace += world.trace
            expectations += world.expectations
            keys += first.count
        }
        // Otherwise the trials compare nothing.
        #expect(keys > Self.trialsInPart)
        let verdict = await Self.oracle(trace)
        #expect(verdict == "\(expectations)\n", "part \(part)")
    }

    /// Returns the verdict of the model in Python.
    private static func oracle(_ trace: [String]) async -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "KeyValueStoreOracle.py")
        return await ChildProcess(
            path: "/usr/bin/env", ["python3", script.path()], input: trace.joined(separator: "\n") + "\n"
        ).result().text
    }
}
