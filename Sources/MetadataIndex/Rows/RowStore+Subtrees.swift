// The rows above and below a row.
// SPDX-License-Identifier: Apache-2.0

extension RowStore {
    /// Whether `holds` is true for a directory above a row, except for the root. Complexity: O(depth).
    func isAnyAbove(_ row: UInt32, _ holds: (UInt32) -> Bool) -> Bool {
        var above = parent(row)
        while above != 0 {
            if holds(above) { return true }
            above = parent(above)
        }
        return false
    }

    /// Returns the live rows below a directory: first the directories below it, then their entries. Complexity: O(rows), a few
    /// ns each.
    func rows(below top: UInt32) -> RowBits {
        var known = RowBits(blocks: blocks.count)
        var inside = RowBits(blocks: blocks.count)
        known.insert(0)
        known.insert(top)
        inside.insert(top)
        for at in blocks.indices {
            let block = blocks[at].block
            for word in 0..<Block.words {
                var bits = block.isDirectory[word]
                while bits != 0 {
                    let row = UInt32(truncatingIfNeeded: (at * Block.words + word) << 6 | bits.trailingZeroBitCount)
                    bits &= bits &- 1
                    var above = row
                    while !known.contains(above) { above = parent(above) }
                    let isInside = inside.contains(above)
                    above = row
                    while !known.contains(above) {
                        known.insert(above)
                        if isInside { inside.insert(above) }
                        above = parent(above)
                    }
                }
            }
        }
        var found = RowBits(blocks: blocks.count)
        for at in blocks.indices {
            let block = blocks[at].block
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
}
