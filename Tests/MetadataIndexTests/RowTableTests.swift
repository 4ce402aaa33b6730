// The hash table of rows against a dictionary.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct RowTableTests {
    /// Good hashes, hashes that share their kept bits, hashes that share their first bits, and hashes that are all alike.
    @Test(arguments: [UInt64.max, 0xFFFF_FFFF_FFFF_0000, 0x0000_0000_0000_FFFF, 0])
    func rowsComeAndGo(mask: UInt64) {
        var generator = SeededGenerator(seed: mask ^ 5)
        var table = RowTable()
        let rowCount: UInt32 = mask == .max ? 30_000 : 900
        let hashes = (0..<rowCount).map { _ in generator.next() & mask | (mask == 0 ? 7 : 0) }
        var there: Set<UInt32> = []
        for phase in 0..<6 {
            // Fills, thins out, fills again.
            for _ in 0..<rowCount * 2 {
                let row = UInt32.random(in: 0..<rowCount, using: &generator)
                let hash = hashes[Int(row)]
                #expect((table.find(hash) { $0 == row } != nil) == there.contains(row), "mask \(mask)")
                if phase % 2 == 0, !there.contains(row) {
                    table.makeRoom(for: hash) { hashes[Int($0)] }
                    table.add(hash, row)
                    there.insert(row)
                } else if phase % 2 == 1 {
                    #expect(table.remove(hash, row) == (there.remove(row) != nil), "mask \(mask)")
                }
            }
            #expect(table.count == there.count)
            for row in 0..<rowCount {
                let found = table.find(hashes[Int(row)]) { $0 == row }
                #expect(found == (there.contains(row) ? row : nil), "mask \(mask), phase \(phase)")
            }
        }
    }

    @Test(arguments: [UInt64.max, 0xFFFF_FFFF_FFFF_0000, 0x0000_0000_0000_FFFF, 0])
    func manyRowsGoAtOnce(mask: UInt64) {
        var generator = SeededGenerator(seed: mask ^ 6)
        var table = RowTable()
        let rowCount: UInt32 = mask == .max ? 30_000 : 900
        let hashes = (0..<rowCount).map { _ in generator.next() & mask | (mask == 0 ? 7 : 0) }
        var there: Set<UInt32> = []
        for share in [3, 50, 97, 100] as [UInt32] {
            for row in 0..<rowCount where !there.contains(row) {
                table.makeRoom(for: hashes[Int(row)]) { hashes[Int($0)] }
                table.add(hashes[Int(row)], row)
                there.insert(row)
            }
            let gone = Set(there.sorted().filter { _ in UInt32.random(in: 0..<100, using: &generator) < share })
            table.removeAll { gone.contains($0) }
            there.subtract(gone)
            #expect(table.count == there.count)
            for row in 0..<rowCount {
                let found = table.find(hashes[Int(row)]) { $0 == row }
                #expect(found == (there.contains(row) ? row : nil), "mask \(mask), share \(share)")
            }
        }
        #expect(table.byteCount < 60_000)
    }

    @Test func aRowTakesAnothersPlace() {
        var table = RowTable()
        for row in [1, 2, 3] as [UInt32] { table.add(9, row) }
        table.substitute(9, 2, by: 8)
        #expect(table.find(9) { $0 == 8 } == 8)
        #expect(table.find(9) { $0 == 2 } == nil)
        #expect(table.count == 3)
    }

    /// The bytes of a row while the table grows: never more than at a load of an eighth, and 9 bytes when there are many.
    @Test func theTableIsCompact() {
        var generator = SeededGenerator(seed: 3)
        let hashes = (0..<100_000).map { _ in generator.next() }
        var table = RowTable()
        for row in 0..<100_000 as Range<UInt32> {
            let hash = hashes[Int(row)]
            if table.needsRoom(for: hash) { table.makeRoom(for: hash) { hashes[Int($0)] } }
            table.add(hash, row)
            if row > 10_000, row % 1_000 == 0 { #expect(table.byteCount <= Int(row) * 12) }
        }
        #expect(table.byteCount <= 100_000 * 10)
    }
}
