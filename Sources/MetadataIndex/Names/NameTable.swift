// Finds rows by directory and name.
// SPDX-License-Identifier: Apache-2.0

/// Finds rows by directory and name. It has only the numbers of rows, so callers pass the rows, which have the names.
struct NameTable: ~Copyable {
    /// The hash of places, which depends on a secret.
    let hasher: NameHash
    private var table: RowTable

    init(key: UInt64, table: consuming RowTable = RowTable()) {
        hasher = NameHash(key: key)
        self.table = table
    }

    /// How many rows are filed.
    var count: Int { table.count }
    /// Bytes held.
    var byteCount: Int { table.byteCount }

    /// Returns the hash of the place at which a row is.
    @inline(__always)
    func hash(_ row: UInt32, _ rows: borrowing RowStore) -> UInt64 {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        return hasher.hash(parent: block.parent[slot], name: block.nameBytes(slot))
    }

    /// Returns the row of this name in a directory, whose place has this hash.
    @inline(__always)
    func find(
        _ parent: UInt32, _ name: UnsafeRawBufferPointer, _ hash: UInt64, _ rows: borrowing RowStore
    ) -> UInt32? {
        table.find(hash) { rows.isNamed($0, parent, name) }
    }

    /// Brings the place of a hash into the cache before it is used.
    @inline(__always)
    mutating func touch(_ hash: UInt64) { table.touch(hash) }

    /// Files a row under its place.
    @inline(__always)
    mutating func file(_ row: UInt32, _ hash: UInt64, _ rows: RowStore) {
        if table.needsRoom(for: hash) { widen(for: hash, rows) }
        table.add(hash, row)
    }

    /// Apart from ``file(_:_:_:)``, since to lend the rows beside the table counts references: 80 ns for each row.
    @inline(never)
    private mutating func widen(for hash: UInt64, _ rows: RowStore) {
        let hasher = hasher
        table.makeRoom(for: hash) { other in
            let block = rows.block(other)
            let slot = RowStore.slot(other)
            return hasher.hash(parent: block.parent[slot], name: block.nameBytes(slot))
        }
    }

    /// Takes away a row that was filed under this hash.
    mutating func unfile(_ row: UInt32, _ hash: UInt64) { table.remove(hash, row) }

    /// Takes away many rows. Complexity: O(rows of the index).
    mutating func unfileAll(_ gone: borrowing RowBits) { table.removeAll { gone.contains($0) } }
}
