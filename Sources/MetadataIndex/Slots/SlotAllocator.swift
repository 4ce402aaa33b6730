// Which slots of an index are free, and the generations of their next occupants.
// SPDX-License-Identifier: Apache-2.0

/// Gives out slots for rows. A free slot's generation column holds the next occupant's, and its parent column the next free slot.
/// A slot whose generations are used up is never given out again, so no identifier is given twice.
struct SlotAllocator {
    private var firstFree = Row.none
    /// Slots ever given out.
    private(set) var slotCount: UInt32
    /// Slots that are given out no more.
    private(set) var retiredCount = 0
    /// The least generation of new occupants. Generations given out after the last saved state are unknown and must not be
    /// reused.
    private(set) var generationFloor: UInt32
    /// A slot whose next occupant would exceed this generation is not reused in this run.
    private var generationLimit = UInt32.max

    init(slotCount: UInt32, generationFloor: UInt32 = 0) {
        self.slotCount = slotCount
        self.generationFloor = generationFloor
    }

    // MARK: Giving out

    /// Whether so many more slots may be given out.
    func hasRoom(for count: Int) -> Bool { count <= Int(Row.none - 1 - slotCount) }

    /// Returns a free slot. Its generation column holds the next occupant's. Throws `full` if there is none and `mayGrow` is
    /// false, or no number is left.
    @inline(__always)
    mutating func allocate(in rows: inout RowStore, mayGrow: Bool) throws(IndexError) -> UInt32 {
        if firstFree != Row.none {
            let row = firstFree
            firstFree = rows.parent(row)
            return row
        }
        guard mayGrow, hasRoom(for: 1) else { throw .full }
        let row = slotCount
        slotCount += 1
        if RowStore.block(row) == rows.blocks.count { rows.blocks.append(BlockStorage()) }
        let block = rows.writable(row)
        block.header.pointee.used = RowStore.slot(row) + 1
        block.generation[RowStore.slot(row)] = generationFloor
        return row
    }

    // MARK: Taking back

    /// Gives a slot the generation of its next occupant. Returns false if it has none: then the slot must not be freed.
    @inline(__always)
    mutating func endOccupant(_ block: Block, _ slot: Int) -> Bool {
        let generation = block.generation[slot]
        if generation == .max {
            retiredCount += 1
            return false
        }
        block.generation[slot] = max(generation + 1, generationFloor)
        guard block.generation[slot] <= generationLimit else {
            retiredCount += 1
            return false
        }
        return true
    }

    /// Frees a slot whose occupant was ended (``endOccupant(_:_:)``).
    @inline(__always)
    mutating func free(_ row: UInt32, in rows: inout RowStore) {
        rows.writable(row).parent[RowStore.slot(row)] = firstFree
        firstFree = row
    }

    /// Ends the occupants of many rows of a block and frees their slots. `gone` has the words of that block, which is not shared.
    mutating func free(_ gone: ArraySlice<UInt64>, ofBlock at: Int, in rows: borrowing RowStore) {
        var vacated = Block.Vacated(firstFree: firstFree)
        let base = UInt32(truncatingIfNeeded: at * Block.capacity)
        rows.blocks[at].block.free(gone, base: base, generationFloor: generationFloor, &vacated)
        firstFree = vacated.firstFree
        retiredCount += vacated.retired
    }

    /// Frees all slots of restored rows that have no occupant, the first ones in front. No block may be shared.
    mutating func freeAll(of rows: borrowing RowStore) {
        var row = slotCount
        while row > 1 {
            row -= 1
            let own = rows.block(row)
            let slot = RowStore.slot(row)
            if own.isLive(slot) { continue }
            own.setXattrs(slot, XattrTable.unknown)
            if own.generation[slot] == .max {
                retiredCount += 1
                continue
            }
            own.generation[slot] = max(own.generation[slot], generationFloor)
            own.parent[slot] = firstFree
            firstFree = row
        }
    }

    /// Takes slots out of the chain that had these occupants, by row: those that are free and whose next occupant has a later
    /// generation. Returns their rows. Complexity: O(free slots).
    mutating func take(_ occupants: [UInt32: UInt32], in rows: inout RowStore) -> Set<UInt32> {
        var taken: Set<UInt32> = []
        var (previous, row) = (Row.none, firstFree)
        while row != Row.none {
            let next = rows.parent(row)
            if let generation = occupants[row], generation < rows.generation(row) {
                taken.insert(row)
                if previous == Row.none {
                    firstFree = next
                } else {
                    rows.writable(previous).parent[RowStore.slot(previous)] = next
                }
            } else {
                previous = row
            }
            row = next
        }
        return taken
    }

    // MARK: Generations

    /// Whether generations are limited to those below the floor of a later run.
    var isBounded: Bool { generationLimit != .max }

    /// Lowers the generation limit below the floor of a later run, which would not know of new occupants of these blocks.
    mutating func bound(_ blocks: [BlockStorage]) {
        let next = IndexAssembly.raisedGeneration(above: generationFloor, in: blocks)
        generationLimit = next.map { $0 - 1 } ?? .max
    }

    /// Lifts the generation limit.
    mutating func unbound() { generationLimit = .max }

    /// Takes over the floor and the limit of generations.
    mutating func takeGenerations(from other: SlotAllocator) {
        (generationFloor, generationLimit) = (other.generationFloor, other.generationLimit)
    }

    // MARK: Invariants, for tests

    /// Returns the fault of the chain of free slots, which should have `count`.
    func check(_ rows: borrowing RowStore, free count: Int) -> String? {
        var found = 0
        var row = firstFree
        while row != Row.none {
            if rows.isLive(row) { return "free slot \(row) is live" }
            found += 1
            if found > Int(slotCount) { return "a circle of free slots" }
            row = rows.parent(row)
        }
        return found == count ? nil : "\(found) free slots, not \(count)"
    }
}
