// Which rows of a snapshot lie below one directory.
// SPDX-License-Identifier: Apache-2.0

/// Which rows of a snapshot lie below one directory, for a scan by blocks. It remembers the answer for each directory that it
/// came by, so a row costs one look at its parent; a million rows take 1 MB as long as the filter lives. Where few rows lie
/// below, ``IndexSnapshot/forEachDescendant(of:_:)`` is faster.
package struct ScopeFilter: Sendable {
    private let snapshot: IndexSnapshot
    private let top: UInt32
    /// For each row: 0 not known, 1 outside, 2 the directory itself or below it.
    private var known: [UInt8]
    /// Rows on the way up from one that is not known.
    private var way: [UInt32] = []

    /// Makes a filter for everything below a live row of a snapshot, excluding the row itself.
    package init(_ snapshot: IndexSnapshot, below top: Row) {
        self.snapshot = snapshot
        self.top = top.number
        known = [UInt8](repeating: 0, count: max(1, snapshot.blockCount) * Block.capacity)
        known[0] = 1
        known[Int(top.number)] = 2
    }

    /// Keeps the rows of a block that lie below the directory.
    package mutating func select(inBlock number: Int, among bits: inout BlockBitmap) {
        if top == 0 { return }
        let block = snapshot.rows.blocks[number].block
        bits.filterNames { place in
            let parent = block.parent[place]
            let answer = known[Int(parent)]
            return answer != 0 ? answer == 2 : resolveWithin(parent)
        }
    }

    private mutating func resolveWithin(_ row: UInt32) -> Bool {
        way.removeAll(keepingCapacity: true)
        var row = row
        while known[Int(row)] == 0 {
            way.append(row)
            row = snapshot.rows.parent(row)
        }
        let answer = known[Int(row)]
        for below in way { known[Int(below)] = answer }
        return answer == 2
    }
}
