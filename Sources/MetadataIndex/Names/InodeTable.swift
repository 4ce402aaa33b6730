// Finds the rows of a file by device and inode.
// SPDX-License-Identifier: Apache-2.0

/// Finds the rows of a file by device and inode: of directories, and of files that have further names.
///
/// The hash table holds one row of each file; its other rows form a ring with it, in a side table because few files have two
/// names here. With equal keys side by side instead, 65,000 links of one file would make every look-up a linear walk.
struct InodeTable: ~Copyable {
    private struct Neighbours {
        var next: UInt32
        var previous: UInt32
    }

    private var heads = RowTable()
    private var rings: [UInt32: Neighbours] = [:]
    let hasher: NameHash

    init(hasher: NameHash) { self.hasher = hasher }

    var byteCount: Int { heads.byteCount + rings.capacity * 16 }

    private func head(
        _ inode: UInt64, _ device: UInt64, _ hash: UInt64, _ rows: borrowing RowStore
    ) -> UInt32? {
        heads.find(hash) {
            let block = rows.block($0)
            let slot = RowStore.slot($0)
            return block.inode[slot] == inode && rows.common[Int(block.common[slot])].device == device
        }
    }

    /// Adds a row by the values that it has in `rows` now.
    mutating func insert(_ row: UInt32, _ rows: borrowing RowStore) {
        let values = rows.values(row)
        let device = rows.common[Int(values.common)].device
        let hash = hasher.hash(inode: values.inode, device: device)
        guard let head = head(values.inode, device, hash, rows) else {
            let hasher = hasher
            heads.makeRoom(for: hash) {
                let block = rows.block($0)
                let slot = RowStore.slot($0)
                return hasher.hash(
                    inode: block.inode[slot], device: rows.common[Int(block.common[slot])].device)
            }
            heads.add(hash, row)
            return
        }
        let after = rings[head]?.next ?? head
        rings[row] = Neighbours(next: after, previous: head)
        rings[head, default: Neighbours(next: head, previous: head)].next = row
        rings[after, default: Neighbours(next: head, previous: head)].previous = row
    }

    /// Takes away a row that was added with the values that it still has in `rows`.
    mutating func remove(_ row: UInt32, _ rows: borrowing RowStore) {
        let values = rows.values(row)
        let device = rows.common[Int(values.common)].device
        let hash = hasher.hash(inode: values.inode, device: device)
        guard let neighbours = rings.removeValue(forKey: row) else {
            heads.remove(hash, row)
            return
        }
        // The head may be this row: the next in the ring takes its place.
        if head(values.inode, device, hash, rows) == row { heads.substitute(hash, row, by: neighbours.next) }
        if neighbours.next == neighbours.previous {
            rings[neighbours.next] = nil
        } else {
            rings[neighbours.next]?.previous = neighbours.previous
            rings[neighbours.previous]?.next = neighbours.next
        }
    }

    /// Takes away those of many rows that were added, with the values that they still have in `rows`.
    mutating func removeAll(_ gone: borrowing RowBits, _ rows: borrowing RowStore) {
        for row in rings.keys.filter({ gone.contains($0) }) { remove(row, rows) }
        heads.removeAll { gone.contains($0) }
    }

    /// Calls `body` for each row of the file.
    func forEach(inode: UInt64, device: UInt64, _ rows: borrowing RowStore, _ body: (UInt32) -> Void) {
        guard let head = head(inode, device, hasher.hash(inode: inode, device: device), rows) else { return }
        var row = head
        repeat {
            body(row)
            row = rings[row]?.next ?? head
        } while row != head
    }

    /// How many rows are in rings, and how many heads there are.
    var counts: (heads: Int, ringed: Int) { (heads.count, rings.count) }
}
