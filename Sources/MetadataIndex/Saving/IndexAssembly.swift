// Puts an index together from its rows, and looks whether it can be one.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization

/// Puts an index together from the columns of its rows: directories, children, tables and free slots are made anew from
/// them. Each row's values are known to be possible; here it is seen whether the rows are a tree.
struct IndexAssembly {
    private let blocks: [BlockStorage]
    private var rows: RowStore
    private let slotCount: UInt32
    private let key: UInt64

    init(rows: RowStore, slotCount: UInt32, key: UInt64) {
        blocks = rows.blocks
        self.rows = rows
        self.slotCount = slotCount
        self.key = key
    }

    /// After how many occupants of one slot generations that were given out and are not known could be given again: a
    /// slot would have to change hands a million times beyond what is on disk.
    private static let generationStep: UInt32 = 1 << 20

    /// A generation that no slot has had, known or not; nil where there is none any more.
    func raisedGeneration(above floor: UInt32) -> UInt32? {
        IndexAssembly.raisedGeneration(above: floor, in: blocks)
    }

    static func raisedGeneration(above floor: UInt32, in blocks: [BlockStorage]) -> UInt32? {
        var largest = floor
        for storage in blocks {
            let block = storage.block
            for slot in 0..<block.header.pointee.used { largest = max(largest, block.generation[slot]) }
        }
        let next = (UInt64(largest / generationStep) + 1) * UInt64(generationStep)
        return UInt32(exactly: next)
    }

    /// The index; see `IndexRestorer.finish(concurrently:)`.
    mutating func assemble(
        generationFloor: UInt32, concurrently: Concurrently
    ) throws(SavedStateError) -> IndexStorage {
        guard blocks[0].block.isLive(0), blocks[0].block.fileKind(0) == .directory, blocks[0].block.name[0] & 0xFF == 0
        else { throw .malformed("the root") }
        let hashes = Hashes(count: Int(slotCount))
        defer { hashes.free() }
        let (blocks, hasher) = (blocks, NameHash(key: key))
        let isDamaged = Mutex(false)
        concurrently(blocks.count) { number in
            if !blocks[number].derive(number, hasher, hashes.ofBlock(number)) { isDamaged.withLock { $0 = true } }
        }
        if isDamaged.withLock({ $0 }) { throw .malformed("a name") }
        try linkChildren()
        try checkTree()
        var storage = IndexStorage(
            rows: rows, slotCount: slotCount, generationFloor: generationFloor, key: key,
            names: try nameTable(hashes))
        rows = RowStore()
        storage.count = -1
        for storageOfBlock in blocks {
            storage.count += storageOfBlock.block.header.pointee.live
            storage.directoryCount += storageOfBlock.block.header.pointee.directories
        }
        storage.directoryCount -= 1
        freeSlots(of: &storage)
        storage.mergeCommon()
        countExtras(of: &storage)
        for number in 0..<slotCount where isLive(number) && block(number).values(RowStore.slot(number)).isFoundByInode {
            storage.inodes.insert(number, storage.rows)
        }
        storage.restorePackages()
        return storage
    }

    @inline(__always)
    private func block(_ row: UInt32) -> Block { blocks[RowStore.block(row)].block }

    @inline(__always)
    private func isLive(_ row: UInt32) -> Bool { row < slotCount && block(row).isLive(RowStore.slot(row)) }

    // MARK: The tree

    /// Puts each row among its directory's children, the first rows in front.
    private func linkChildren() throws(SavedStateError) {
        var row = slotCount
        while row > 1 {
            row -= 1
            let own = block(row)
            let slot = RowStore.slot(row)
            guard own.isLive(slot) else { continue }
            let parent = own.parent[slot]
            guard parent < slotCount, parent != row else { throw .malformed("a directory") }
            let above = block(parent)
            let place = RowStore.slot(parent)
            guard above.isDirectory(place) else { throw .malformed("a directory") }
            let head = above.firstChild(place)
            own.next[slot] = head
            own.previous[slot] = Row.none
            if head != Row.none { block(head).previous[RowStore.slot(head)] = row }
            above.setFirstChild(place, row)
        }
        let root = block(0)
        root.parent[0] = 0
        root.next[0] = Row.none
        root.previous[0] = Row.none
    }

    /// Sees that every directory lies below the root. Complexity: O(directories).
    private func checkTree() throws(SavedStateError) {
        // 0 for not looked at, 1 for on the way that is gone at the moment, 2 for below the root, 3 for that and inside a
        // package, or one.
        var marks = [UInt8](repeating: 0, count: Int(slotCount))
        marks[0] = 2
        var way: [UInt32] = []
        var packages = 0
        for number in 0..<blocks.count {
            let block = blocks[number].block
            for word in 0..<Block.words {
                var bits = block.isDirectory[word]
                while bits != 0 {
                    var row = UInt32(truncatingIfNeeded: number << 12 | word << 6 | bits.trailingZeroBitCount)
                    bits &= bits &- 1
                    if block.fileKind(RowStore.slot(row)) == .package {
                        packages += 1
                        guard rows.packages[row] != nil else { throw .malformed("a package") }
                    }
                    while marks[Int(row)] == 0 {
                        marks[Int(row)] = 1
                        way.append(row)
                        row = self.block(row).parent[RowStore.slot(row)]
                    }
                    var mark = marks[Int(row)]
                    guard mark >= 2 else { throw .malformed("a circle of directories") }
                    for passed in way.reversed() {
                        if self.block(passed).fileKind(RowStore.slot(passed)) == .package {
                            guard mark == 2 else { throw .malformed("a package in a package") }
                            mark = 3
                        }
                        marks[Int(passed)] = mark
                    }
                    way.removeAll(keepingCapacity: true)
                }
            }
        }
        guard packages == rows.packages.count else { throw .malformed("a package") }
    }

    // MARK: Tables

    /// The table of names. Two rows of one name in one directory are found on the way.
    private func nameTable(_ hashes: Hashes) throws(SavedStateError) -> RowTable {
        var items = -1
        for storage in blocks { items += storage.block.header.pointee.live }
        var builder = RowTable.Builder(expecting: items)
        for (number, storage) in blocks.enumerated() {
            forEachItem(number, storage.block) { builder.count(hashes.memory[Int($0)]) }
        }
        builder.makeSegments()
        var hasTwin = false
        for (number, storage) in blocks.enumerated() {
            forEachItem(number, storage.block) { row in
                let own = block(row)
                let slot = RowStore.slot(row)
                let isNew = builder.add(hashes.memory[Int(row)], row) { other in
                    let there = block(other)
                    let place = RowStore.slot(other)
                    return there.parent[place] == own.parent[slot]
                        && IndexStorage.areEqual(there.nameBytes(place), own.nameBytes(slot))
                }
                if !isNew { hasTwin = true }
            }
        }
        let table = builder.finish()
        if hasTwin { throw .malformed("two entries of one name") }
        return table
    }

    @inline(__always)
    private func forEachItem(_ number: Int, _ block: Block, _ body: (UInt32) -> Void) {
        for word in 0..<Block.words {
            var bits = block.isLive[word]
            if number == 0, word == 0 { bits &= ~1 }
            while bits != 0 {
                body(UInt32(truncatingIfNeeded: number << 12 | word << 6 | bits.trailingZeroBitCount))
                bits &= bits &- 1
            }
        }
    }

    /// Chains the free slots, the first ones in front.
    private func freeSlots(of storage: inout IndexStorage) {
        var row = slotCount
        while row > 1 {
            row -= 1
            let own = block(row)
            let slot = RowStore.slot(row)
            if own.isLive(slot) { continue }
            own.setExtras(slot, ExtrasTable.unknown)
            if own.generation[slot] == .max {
                storage.retiredCount += 1
                continue
            }
            own.generation[slot] = max(own.generation[slot], storage.generationFloor)
            own.parent[slot] = storage.firstFree
            storage.firstFree = row
        }
    }

    private func countExtras(of storage: inout IndexStorage) {
        var counts = [UInt32](repeating: 0, count: storage.rows.extrasList.count)
        for holder in blocks {
            guard let extras = holder.block.header.pointee.extras else { continue }
            for slot in 0..<holder.block.header.pointee.used where extras[slot] > ExtrasTable.empty {
                counts[Int(extras[slot])] += 1
            }
        }
        storage.extras = ExtrasTable(counts: counts, hasher: storage.hasher, in: &storage.rows.extrasList)
    }
}

/// The hash of each row's place, while an index is put together. `@unchecked Sendable`: each block's part is written by one
/// thread, and all have ended before it is read.
private struct Hashes: @unchecked Sendable {
    let memory: UnsafeMutablePointer<UInt64>

    init(count: Int) { memory = .allocate(capacity: count + Block.capacity) }

    func ofBlock(_ number: Int) -> UnsafeMutablePointer<UInt64> { memory + number * Block.capacity }

    func free() { memory.deallocate() }
}

extension BlockStorage {
    /// Makes what follows from the columns of one block: which rows are directories, and the hash of each row's place.
    /// False where a row that lives has no name.
    fileprivate func derive(_ number: Int, _ hasher: NameHash, _ hashes: UnsafeMutablePointer<UInt64>) -> Bool {
        var directories = 0
        for word in 0..<Block.words {
            block.directoriesBefore[word] = UInt16(truncatingIfNeeded: directories)
            var bits = block.isLive[word]
            var found: UInt64 = 0
            while bits != 0 {
                let slot = word << 6 | bits.trailingZeroBitCount
                if block.fileKind(slot).isDirectory { found |= bits & (0 &- bits) }
                bits &= bits &- 1
                if number == 0, slot == 0 { continue }
                let name = block.nameBytes(slot)
                if name.isEmpty { return false }
                hashes[slot] = hasher.hash(parent: block.parent[slot], name: name)
            }
            block.isDirectory[word] = found
            directories += found.nonzeroBitCount
        }
        block.header.pointee.directories = directories
        guard directories > 0 else { return true }
        // As addDirectory(_:) would have left it, but for room that is not needed.
        let capacity = min(Block.capacity, max(16, directories + directories / 8))
        let children = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        children.initialize(repeating: Row.none, count: directories)
        block.header.pointee.firstChildren = children
        block.header.pointee.directoryCapacity = capacity
        return true
    }
}
