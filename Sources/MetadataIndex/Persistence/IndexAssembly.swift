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
    ) throws(RestoreError) -> IndexStorage {
        guard blocks[0].block.isLive(0), blocks[0].block.fileKind(0) == .directory, blocks[0].block.name[0] & 0xFF == 0
        else { throw .malformed("the root") }
        var items = -1
        for storage in blocks { items += storage.block.header.pointee.live }
        let builder = RowTable.Builder(expecting: items)
        let hashes = Hashes(blocks: blocks.count)
        let (blocks, hasher) = (blocks, NameHash(key: key))
        let failure = Failure()
        concurrently(blocks.count) { number in
            if !blocks[number].derive(number, hasher, builder, hashes.ofBlock(number)) {
                failure.note(.malformed("a name"))
            }
        }
        if let error = failure.first { throw error }
        // The table of names takes as long as the rest, and neither needs the data that the other writes.
        let (rest, linked) = (self, Linked(hasher))
        concurrently(1 + builder.parts) { number in
            if number > 0 {
                if !rest.addNames(builder, number - 1, hashes) { failure.note(.malformed("two entries of one name")) }
                return
            }
            do throws(RestoreError) {
                try rest.linkChildren()
                try rest.checkTree()
                rest.findInodes(&linked.inodes)
            } catch {
                failure.note(error)
            }
        }
        let names = builder.finish()
        if let error = failure.first { throw error }
        var slots = SlotAllocator(slotCount: slotCount, generationFloor: generationFloor)
        slots.freeAll(of: rows)
        var storage = IndexStorage(rows: rows, slots: slots, names: NameTable(key: key, table: names))
        storage.inodes = linked.take()
        rows = RowStore()
        storage.attributes = AttributeDictionary(restoring: &storage.rows)
        countXattrs(of: &storage)
        storage.versions.find(in: storage.rows, storage.names)
        storage.rows.findArchives()
        storage.packages.restore(&storage.rows, &storage.versions)
        // The numbers of versions follow, which no journal has: so they are in no change set.
        var unrecorded = ChangeRecorder()
        unrecorded.noteUnrecorded()
        storage.versions.settle(&storage.rows, storage.names, storage.packages, &unrecorded)
        return storage
    }

    @inline(__always)
    private func block(_ row: UInt32) -> Block { blocks[RowStore.block(row)].block }

    @inline(__always)
    private func isLive(_ row: UInt32) -> Bool { row < slotCount && block(row).isLive(RowStore.slot(row)) }

    // MARK: The tree

    /// Puts each row among its directory's children, the first rows in front.
    private func linkChildren() throws(RestoreError) {
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
    private func checkTree() throws(RestoreError) {
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

    /// A part of the table of names. False where two rows of one name in one directory are found on the way.
    private func addNames(_ builder: RowTable.Builder, _ part: Int, _ hashes: Hashes) -> Bool {
        let rows = (0..<blocks.count).map { number in
            let own = hashes.ofBlock(number)
            let range = own.range(of: part)
            return RowTable.Builder.Rows(
                base: UInt32(truncatingIfNeeded: number << 12), hashes: own.hashes + range.lowerBound,
                slots: own.slots + range.lowerBound, count: range.count)
        }
        return builder.make(part, of: rows) { a, b in
            let (first, second) = (block(a), block(b))
            let (place, slot) = (RowStore.slot(a), RowStore.slot(b))
            return first.parent[place] == second.parent[slot]
                && RowStore.areEqual(first.nameBytes(place), second.nameBytes(slot))
        }
    }

    /// Files the rows that are found by inode (`RowValues.isFoundByInode`).
    private func findInodes(_ inodes: inout InodeTable) {
        for (number, storage) in blocks.enumerated() {
            let block = storage.block
            for word in 0..<Block.words {
                var bits = block.isLive[word]
                while bits != 0 {
                    let slot = word << 6 | bits.trailingZeroBitCount
                    bits &= bits &- 1
                    guard block.links[slot] > 1 || block.isDirectory(slot) else { continue }
                    inodes.insert(UInt32(truncatingIfNeeded: number << 12 | slot), rows)
                }
            }
        }
    }

    private func countXattrs(of storage: inout IndexStorage) {
        var counts = [UInt32](repeating: 0, count: storage.rows.xattrList.count)
        for holder in blocks {
            guard let xattrs = holder.block.header.pointee.xattrs else { continue }
            for slot in 0..<holder.block.header.pointee.used where xattrs[slot] > XattrTable.empty {
                counts[Int(xattrs[slot])] += 1
            }
        }
        storage.xattrs = XattrTable(counts: counts, hasher: storage.names.hasher, in: &storage.rows.xattrList)
    }
}

/// The first error of several threads.
private final class Failure: Sendable {
    private let error = Mutex<RestoreError?>(nil)

    func note(_ error: RestoreError) { self.error.withLock { $0 = $0 ?? error } }

    var first: RestoreError? { error.withLock { $0 } }
}

/// The table of inodes, which is filled in beside the table of names. `@unchecked Sendable`: one thread writes it,
/// which has ended before it is taken.
private final class Linked: @unchecked Sendable {
    var inodes: InodeTable
    private let hasher: NameHash

    init(_ hasher: NameHash) {
        inodes = InodeTable(hasher: hasher)
        self.hasher = hasher
    }

    func take() -> InodeTable {
        var taken = InodeTable(hasher: hasher)
        swap(&taken, &inodes)
        return taken
    }
}

/// The hash of each row's place, while an index is put together: in each block those of one part of the table together.
/// `@unchecked Sendable`: each block's part is written by one thread, and all have ended before it is read.
private final class Hashes: @unchecked Sendable {
    /// Those of one block.
    struct OfBlock {
        let hashes: UnsafeMutablePointer<UInt64>
        let slots: UnsafeMutablePointer<UInt16>
        /// Where each part begins, and the last ends.
        let starts: UnsafeMutablePointer<Int32>

        @inline(__always)
        func range(of part: Int) -> Range<Int> { Int(starts[part])..<Int(starts[part + 1]) }
    }

    private let memory: OfBlock

    init(blocks: Int) {
        memory = OfBlock(
            hashes: .allocate(capacity: blocks * Block.capacity), slots: .allocate(capacity: blocks * Block.capacity),
            starts: .allocate(capacity: blocks * Hashes.startsOfBlock))
    }

    deinit {
        memory.hashes.deallocate()
        memory.slots.deallocate()
        memory.starts.deallocate()
    }

    private static let startsOfBlock = RowTable.Builder.mostParts + 1

    func ofBlock(_ number: Int) -> OfBlock {
        OfBlock(
            hashes: memory.hashes + number * Block.capacity, slots: memory.slots + number * Block.capacity,
            starts: memory.starts + number * Hashes.startsOfBlock)
    }
}

extension BlockStorage {
    /// Makes the data derived from the columns of one block: which rows are directories, and the hash of each row's
    /// place. False where a row that lives has no name.
    fileprivate func derive(
        _ number: Int, _ hasher: NameHash, _ builder: RowTable.Builder, _ own: Hashes.OfBlock
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Block.capacity) { hashes in
            for part in 0...builder.parts { own.starts[part] = 0 }
            guard derive(number, hasher, builder, UnsafeMutablePointer(hashes.baseAddress!), own.starts) else {
                return false
            }
            // From how many each part has to where the next begins, then back by as many.
            for part in 0..<builder.parts { own.starts[part + 1] += own.starts[part] }
            for word in (0..<Block.words).reversed() {
                var bits = block.isLive[word]
                if number == 0, word == 0 { bits &= ~1 }
                while bits != 0 {
                    let bit = 63 - bits.leadingZeroBitCount
                    bits &= ~(1 << UInt64(bit))
                    let slot = word << 6 | bit
                    let part = builder.part(of: hashes[slot])
                    own.starts[part] -= 1
                    let place = Int(own.starts[part])
                    own.hashes[place] = hashes[slot]
                    own.slots[place] = UInt16(truncatingIfNeeded: slot)
                }
            }
            return true
        }
    }

    private func derive(
        _ number: Int, _ hasher: NameHash, _ builder: RowTable.Builder, _ hashes: UnsafeMutablePointer<UInt64>,
        _ counts: UnsafeMutablePointer<Int32>
    ) -> Bool {
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
                let hash = hasher.hash(parent: block.parent[slot], name: name)
                hashes[slot] = hash
                counts[builder.part(of: hash)] += 1
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
