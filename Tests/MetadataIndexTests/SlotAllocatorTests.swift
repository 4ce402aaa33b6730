// The allocator of slots, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct SlotAllocatorTests {
    private var rows = RowStore()
    private var slots = SlotAllocator(slotCount: 0, generationFloor: 5)

    private mutating func allocate(mayGrow: Bool = true) throws -> UInt32 {
        try slots.allocate(in: &rows, mayGrow: mayGrow)
    }

    private mutating func end(_ row: UInt32) -> Bool {
        slots.endOccupant(rows.writable(row), RowStore.slot(row))
    }

    @Test mutating func `New slots follow each other and begin at the floor of generations`() throws {
        for row in 0..<UInt32(Block.capacity + 2) {
            #expect(try allocate() == row && rows.generation(row) == 5)
        }
        #expect(slots.slotCount == UInt32(Block.capacity + 2) && rows.slotCount == slots.slotCount)
        #expect(rows.blocks.count == 2)
    }

    @Test mutating func `The slot that was freed last is given out first, with the next generation`() throws {
        for _ in 0..<3 { _ = try allocate() }
        for row in [1, 2] as [UInt32] {
            #expect(end(row))
            slots.free(row, in: &rows)
        }
        #expect(slots.check(rows, free: 2) == nil && slots.check(rows, free: 1) != nil)
        #expect(try allocate() == 2 && rows.generation(2) == 6)
        #expect(try allocate() == 1 && rows.generation(1) == 6)
        #expect(try allocate() == 3)
    }

    @Test mutating func `Without growth only freed slots are given out`() throws {
        for _ in 0..<2 { _ = try allocate() }
        #expect(end(1))
        slots.free(1, in: &rows)
        #expect(try allocate(mayGrow: false) == 1)
        #expect(throws: IndexError.full) { try allocate(mayGrow: false) }
        slots = SlotAllocator(slotCount: Row.none - 2)
        #expect(slots.hasRoom(for: 1) && !slots.hasRoom(for: 2))
        slots = SlotAllocator(slotCount: Row.none - 1)
        #expect(throws: IndexError.full) { try allocate() }
    }

    @Test mutating func `A slot that ran out of generations is retired`() throws {
        let row = try allocate()
        rows.writable(row).generation[RowStore.slot(row)] = .max
        #expect(!end(row) && slots.retiredCount == 1)
    }

    @Test mutating func `While generations are bounded no slot has an occupant that a later run could have`() throws {
        let row = try allocate()
        slots.bound(rows.blocks)
        #expect(slots.isBounded && end(row))
        let floor = try #require(IndexAssembly.raisedGeneration(above: 5, in: rows.blocks))
        rows.writable(row).generation[RowStore.slot(row)] = floor - 1
        #expect(!end(row) && slots.retiredCount == 1)
        slots.unbound()
        #expect(!slots.isBounded && end(row))
        var other = SlotAllocator(slotCount: 1)
        slots.bound(rows.blocks)
        other.takeGenerations(from: slots)
        #expect(other.isBounded && other.generationFloor == 5)
    }

    @Test mutating func `Slots of earlier occupants are taken out of the chain`() throws {
        for _ in 0..<5 { _ = try allocate() }
        for row in [1, 2, 3, 4] as [UInt32] {
            #expect(end(row))
            slots.free(row, in: &rows)
        }
        // Row 0 is not free, and row 3 has not had the occupant yet.
        #expect(slots.take([0: 5, 1: 5, 3: 6, 4: 5], in: &rows) == [1, 4])
        #expect(slots.check(rows, free: 2) == nil)
        #expect(try allocate() == 3 && allocate() == 2 && allocate() == 5)
    }

    @Test mutating func `Rows of a block end at once, the first slot is given out first`() throws {
        for _ in 0..<4 { _ = try allocate() }
        rows.writable(2).generation[2] = .max
        var gone = RowBits(blocks: 1)
        for row in [1, 2, 3] as [UInt32] { gone.insert(row) }
        slots.free(gone.words[0..<Block.words], ofBlock: 0, in: rows)
        #expect(slots.retiredCount == 1 && slots.check(rows, free: 2) == nil)
        #expect(try allocate() == 1 && rows.generation(1) == 6 && allocate() == 3)
    }

    @Test mutating func `All slots of restored rows that have no occupant are free`() throws {
        for _ in 0..<4 { _ = try allocate() }
        rows.writable(2).isLive[0] |= 1 << 2
        slots = SlotAllocator(slotCount: 4, generationFloor: 9)
        slots.freeAll(of: rows)
        #expect(slots.check(rows, free: 2) == nil)
        #expect(try allocate() == 1 && rows.generation(1) == 9 && allocate() == 3)
    }
}
