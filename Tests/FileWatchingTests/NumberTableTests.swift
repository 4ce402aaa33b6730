// The table of numbers against a dictionary.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import FileWatching

@Suite struct NumberTableTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>) func likeADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NumberTable()
        var keys: [UInt64] = []
        var model: [UInt64: Int32] = [:]
        // Many keys, and few that come again and again.
        let range = seed % 3 == 0 ? 40 : UInt64(4_000)
        for step in 0..<20_000 {
            if seed % 2 == 0, step % 7_000 == 0 {
                table.reserve(Int.random(in: 0..<5_000, using: &random)) { keys[Int($0)] }
            }
            // It grows for a while, then shrinks.
            let adds = Int.random(in: 0..<10, using: &random) < (step < 10_000 ? 7 : 3)
            let key = UInt64.random(in: 0..<range, using: &random) << (seed % 4 * 16)
            if adds {
                let number = Int32(keys.count)
                keys.append(key)
                let isNew = table.set(number, key, keyOf: { keys[Int($0)] }) { keys[Int($0)] == key }
                #expect(isNew == (model[key] == nil), "seed \(seed) step \(step)")
                model[key] = number
            } else {
                // Some that are not there too.
                let number = model[key] ?? Int32(keys.count)
                #expect(table.remove(number, key) { keys[Int($0)] } == (model[key] != nil), "seed \(seed) step \(step)")
                model[key] = nil
            }
            let asked = UInt64.random(in: 0..<range, using: &random) << (seed % 4 * 16)
            #expect(table.find(asked) { keys[Int($0)] == asked } == model[asked], "seed \(seed) step \(step)")
            #expect(table.count == model.count)
        }
        for (key, number) in model { #expect(table.find(key) { keys[Int($0)] == key } == number, "seed \(seed)") }
    }

    @Test func watchesLikeASet() {
        var random = SeededGenerator(seed: 5)
        var watches = WatchNumbers()
        var model: Set<Int32> = []
        for _ in 0..<20_000 {
            let watch = Int32.random(in: -3..<500, using: &random)
            if Bool.random(using: &random) {
                #expect(watches.insert(watch) == (watch >= 0 && model.insert(watch).inserted))
            } else {
                #expect(watches.remove(watch) == (model.remove(watch) != nil))
            }
            #expect(watches.contains(watch) == model.contains(watch) && watches.count == model.count)
        }
    }
}
