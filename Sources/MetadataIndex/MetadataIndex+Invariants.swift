// The invariants between the index's columns and tables, for tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension MetadataIndex {
    /// Looks at everything, and describes the first thing that is not as it must be; nil if all is well.
    /// Complexity: O(entries × depth).
    package func checkInvariants() -> String? { storage.checkInvariants() }
}

extension IndexStorage {
    func checkInvariants() -> String? {
        let first =
            checkBlocks() ?? checkRows() ?? checkChildren() ?? checkFreeSlots() ?? checkInodes() ?? checkXattrs()
        return first ?? packages.check(rows, versions) ?? versions.check(rows, names) ?? rows.checkArchives()
            ?? checkOpenSet()
            ?? attributes.check(rows, used: usedAttributes)
    }

    private var allLive: [UInt32] { (0..<slots.slotCount).filter { rows.isLive($0) } }

    private func checkBlocks() -> String? {
        var live = 0
        for (number, storage) in rows.blocks.enumerated() {
            let block = storage.block
            let header = block.header.pointee
            let expected = min(Block.capacity, Int(slots.slotCount) - number * Block.capacity)
            guard header.used == expected else { return "block \(number): \(header.used) used, not \(expected)" }
            var liveHere = 0
            var names = 0
            var directories = 0
            var last = 0
            for slot in 0..<Block.capacity {
                if slot & 63 == 0, Int(block.directoriesBefore[slot >> 6]) != directories {
                    return "block \(number): count of directories before \(slot)"
                }
                if slot < header.used, header.namesInOrder {
                    let offset = Int(block.name[slot] >> 8)
                    if offset < last { return "block \(number): names out of order at \(slot)" }
                    last = offset
                }
                guard block.isLive(slot) else {
                    if block.isDirectory(slot) { return "block \(number): dead directory \(slot)" }
                    continue
                }
                if slot >= header.used { return "block \(number): live beyond the used at \(slot)" }
                liveHere += 1
                let name = block.nameBytes(slot)
                names += block.storedName(slot).count
                if Int(block.name[slot] >> 8) + name.count > header.nameEnd { return "block \(number): name \(slot)" }
                if block.head[slot] != NameMark.head(name) || block.tail[slot] != NameMark.tail(name) {
                    return "block \(number): marks of name \(slot)"
                }
                if block.isDirectory(slot) { directories += 1 }
                if block.isDirectory(slot) != block.fileKind(slot).isDirectory {
                    return "block \(number): directory bit of \(slot)"
                }
            }
            guard liveHere == header.live else { return "block \(number): live \(header.live), not \(liveHere)" }
            guard directories == header.directories else { return "block \(number): directories" }
            if header.nameRoom > Block.largestArena { return "block \(number): room of \(header.nameRoom) bytes" }
            guard names == header.liveNameBytes else {
                return "block \(number): \(header.liveNameBytes) bytes of names, not \(names)"
            }
            let arena = header.arena.takeUnretainedValue()
            guard header.nameEnd <= arena.capacity, header.nameRoom == arena.capacity, header.names == arena.bytes
            else {
                return "block \(number): arena"
            }
            live += liveHere
        }
        return live == counts.items + 1 ? nil : "count is \(counts.items), live rows \(live - 1)"
    }

    private func checkRows() -> String? {
        var directories = 0
        for row in allLive where row != 0 {
            let parent = rows.parent(row)
            guard rows.isLive(parent), rows.kind(parent).isDirectory else { return "row \(row): parent \(parent)" }
            if rows.kind(row).isDirectory { directories += 1 }
            let block = rows.block(row)
            let name = block.nameBytes(RowStore.slot(row))
            guard isValidName(name) else { return "row \(row): name" }
            guard find(parent, name, names.hash(row, rows)) == row else { return "row \(row): not found by its name" }
            guard Int(block.common[RowStore.slot(row)]) < rows.common.count else { return "row \(row): common" }
            var above = parent
            var steps = 0
            while above != 0 {
                above = rows.parent(above)
                steps += 1
                if steps > counts.items { return "row \(row): a circle above it" }
            }
        }
        guard directories == counts.directories else {
            return "directoryCount is \(counts.directories), not \(directories)"
        }
        return names.count == counts.items ? nil : "the name table holds \(names.count) of \(counts.items)"
    }

    private func checkChildren() -> String? {
        var seen = 0
        for row in allLive where rows.kind(row).isDirectory {
            var child = rows.firstChild(row)
            var previous = Row.none
            while child != Row.none {
                guard rows.isLive(child), rows.parent(child) == row else { return "child \(child) of \(row)" }
                guard rows.block(child).previous[RowStore.slot(child)] == previous else {
                    return "previous of \(child)"
                }
                previous = child
                child = rows.next(child)
                seen += 1
                if seen > counts.items { return "more children than rows" }
            }
        }
        return seen == counts.items ? nil : "\(seen) children, \(counts.items) rows"
    }

    private func checkFreeSlots() -> String? {
        let used = counts.items + 1 + slots.retiredCount + detached.count
        return slots.check(rows, free: Int(slots.slotCount) - used)
    }

    private func checkInodes() -> String? {
        var byFile: [[UInt64]: Set<UInt32>] = [:]
        for row in allLive where rows.values(row).isFoundByInode {
            let status = rows.status(row)
            byFile[[status.inode, status.device], default: []].insert(row)
        }
        var ringed = 0
        for (file, expected) in byFile {
            var found: [UInt32] = []
            inodes.forEach(inode: file[0], device: file[1], rows) { found.append($0) }
            guard Set(found) == expected, found.count == expected.count else {
                return "inode \(file[0]): rows \(found), not \(expected)"
            }
            if expected.count > 1 { ringed += expected.count }
        }
        let counts = inodes.counts
        guard counts.heads == byFile.count, counts.ringed == ringed else {
            return "inode table: \(counts), not \(byFile.count) and \(ringed)"
        }
        return nil
    }

    private func checkXattrs() -> String? {
        var uses = [UInt32](repeating: 0, count: rows.xattrList.count)
        for row in 0..<slots.slotCount {
            let number = rows.block(row).xattrs(RowStore.slot(row))
            if !rows.isLive(row), number != XattrTable.unknown { return "free slot \(row) has extras" }
            guard Int(number) < uses.count else { return "row \(row): extras" }
            if number > XattrTable.empty { uses[Int(number)] += 1 }
        }
        return uses == xattrs.useCounts ? nil : "extras are counted \(xattrs.useCounts), not \(uses)"
    }

    private func checkOpenSet() -> String? {
        for (index, change) in recorder.open.changes.enumerated() where recorder.open.find(change.row) != index {
            return "the open set knows row \(change.row) twice, or not by row"
        }
        return nil
    }
}
