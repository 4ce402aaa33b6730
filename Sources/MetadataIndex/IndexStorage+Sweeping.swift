// A large subtree goes at once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Row by row, a removal is some fifteen misses of the cache: 0.7 µs a row, so a tree of a million rows held everybody
/// else for the better part of a second. A subtree that is a fair part of the index goes in sweeps over the columns and the
/// tables instead, in the order of memory; and its former states are not copied: the open set holds the blocks as they were,
/// and the index goes on with others, as it does beside a snapshot. Some 45 ms of the processor for a million rows.
extension IndexStorage {
    /// A subtree with fewer rows goes row by row, in a large index also one that is less than a 64th of it: about where both
    /// take as long.
    static let smallestSweep = 1_024

    /// Whether so much lies below a row that sweeps are cheaper. Complexity: O(smallest sweep).
    func isSwept(below top: UInt32, keeps: Remembrance = .none) -> Bool {
        let limit =
            keeps == .closed ? AsideIdentities.mostIdentities + 1 : max(smallestSweep, Int(slots.slotCount) / 64)
        return rows.descendantCount(of: top, atMost: limit) >= limit
    }

    /// Removes all below a row, and the row itself, which then is in its parent's list no more, if `isTopGone`.
    /// Complexity: O(rows of the index), a few ns each.
    mutating func sweep(below top: UInt32, isTopGone: Bool) {
        var gone = rows(below: top)
        if isTopGone { gone.insert(top) }
        recorder.recordAll(gone, of: rows)
        let former = closed.isEmpty ? [] : closedFiles(gone)
        forgetVersions(gone)
        names.removeAll { gone.contains($0) }
        inodes.removeAll(gone, rows)
        releaseExtras(gone)
        forgetPackages(gone)
        for at in rows.blocks.indices.reversed() {
            let words = gone.words[at * Block.words..<(at + 1) * Block.words]
            guard words.contains(where: { $0 != 0 }) else { continue }
            let old = rows.blocks[at].block
            for word in 0..<Block.words {
                let bits = words[words.startIndex + word]
                counts.remove(
                    items: bits.nonzeroBitCount, directories: (bits & old.isDirectory[word]).nonzeroBitCount)
            }
            if old.isAll(words) {
                rows.blocks[at] = BlockStorage(Block(emptied: old))
            } else {
                rows.writable(UInt32(truncatingIfNeeded: at * Block.capacity)).drop(words)
            }
            slots.free(words, ofBlock: at, in: rows)
        }
        for file in former { endClosed(file) }
        if !isTopGone { rows.writable(top).setFirstChild(RowStore.slot(top), Row.none) }
    }

    /// Returns the live rows below a directory, from the columns: first the directories below it, then their entries.
    func rows(below top: UInt32) -> RowBits {
        var known = RowBits(blocks: rows.blocks.count)
        var inside = RowBits(blocks: rows.blocks.count)
        known.insert(0)
        known.insert(top)
        inside.insert(top)
        for at in rows.blocks.indices {
            let block = rows.blocks[at].block
            for word in 0..<Block.words {
                var bits = block.isDirectory[word]
                while bits != 0 {
                    let row = UInt32(truncatingIfNeeded: (at * Block.words + word) << 6 | bits.trailingZeroBitCount)
                    bits &= bits &- 1
                    var above = row
                    while !known.contains(above) { above = rows.parent(above) }
                    let isInside = inside.contains(above)
                    above = row
                    while !known.contains(above) {
                        known.insert(above)
                        if isInside { inside.insert(above) }
                        above = rows.parent(above)
                    }
                }
            }
        }
        var found = RowBits(blocks: rows.blocks.count)
        for at in rows.blocks.indices {
            let block = rows.blocks[at].block
            for word in 0..<Block.words {
                var bits = block.isLive[word]
                var below: UInt64 = 0
                while bits != 0 {
                    let place = bits.trailingZeroBitCount
                    bits &= bits &- 1
                    if inside.contains(block.parent[word << 6 | place]) { below |= 1 << UInt64(place) }
                }
                found.insert(below, atWord: at * Block.words + word)
            }
        }
        // The root's parent is the root.
        found.remove(0)
        return found
    }

    /// The files that these rows have come to be since they lay in closed directories. Hardly any row is one of those, which the
    /// last bits of its inode tell: 10 to 20 ms of the processor for a million rows, where a set of the inodes took 30.
    private func closedFiles(_ gone: borrowing RowBits) -> [FileIdentity] {
        let count: UInt32 = 1 << 20
        let bits = { (inode: UInt64) in UInt32(truncatingIfNeeded: inode) & (count - 1) }
        var inodes = RowBits(blocks: Int(count) / Block.capacity)
        for file in closed.identities.keys { inodes.insert(bits(file.inode)) }
        var found: [FileIdentity] = []
        gone.forEach { row in
            guard inodes.contains(bits(rows.block(row).inode[RowStore.slot(row)])) else { return }
            let status = rows.status(row)
            if AsideIdentities.isKnownAgain(status) { found.append(status.identity) }
        }
        return found
    }

    private mutating func releaseExtras(_ gone: borrowing RowBits) {
        for at in rows.blocks.indices {
            guard let numbers = rows.blocks[at].block.header.pointee.extras else { continue }
            for word in 0..<Block.words {
                var bits = gone.words[at * Block.words + word]
                while bits != 0 {
                    extras.release(numbers[word << 6 | bits.trailingZeroBitCount], in: &rows.extrasList)
                    bits &= bits &- 1
                }
            }
        }
    }
}
