// Former states of rows in arenas.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Former states of rows in arenas: fixed-size records, the bytes of names, and tag lists. It needs the index no longer.
struct FormerStore: Sendable {
    /// The state of one row, 80 bytes.
    struct Record: Sendable {
        var values: RowValues
        var generation: UInt32
        var parent: UInt32
        var nameOffset: Int
        /// 0 for unknown, 1 for none, else the place in `tagLists` + 2.
        var tags: UInt32
        var nameLength: UInt8
        var flags: UInt8
    }

    var records: [Record] = []
    var names: [UInt8] = []
    var tagLists: [[String]] = []
    /// Owner, group, mode and device by number, as the index has them; the index only appends to its table.
    var common: [CommonAttributes] = []

    /// Roughly what the tag lists take.
    private var tagBytes = 0

    /// Bytes held, unused capacity included.
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + names.capacity + tagLists.capacity * 8 + tagBytes
    }

    /// Roughly what a tag list takes.
    static func cost(_ tags: [String]) -> Int { tags.reduce(32) { $0 + 16 + $1.utf8.count } }

    /// Records a live row as it is, and returns where.
    @inline(__always)
    mutating func append(_ row: UInt32, of rows: borrowing RowStore) -> UInt32 {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        let name = block.nameBytes(slot)
        let tags = block.tags(slot)
        records.append(
            Record(
                values: block.values(slot), generation: block.generation[slot], parent: block.parent[slot],
                nameOffset: names.count,
                tags: tags > TagTable.empty ? UInt32(tagLists.count) + 2 : tags,
                nameLength: UInt8(truncatingIfNeeded: name.count), flags: block.flags[slot]))
        if tags > TagTable.empty { keep(rows.tagLists[Int(tags)]) }
        names.append(contentsOf: name)
        return UInt32(records.count - 1)
    }

    /// Copies a record of another store, and returns where.
    mutating func append(_ record: Record, of other: borrowing FormerStore) -> UInt32 {
        var copy = record
        copy.nameOffset = names.count
        let start = record.nameOffset
        names.append(contentsOf: other.names[start..<start + Int(record.nameLength)])
        if record.tags > TagTable.empty {
            copy.tags = UInt32(tagLists.count) + 2
            keep(other.tagLists[Int(record.tags) - 2])
        }
        records.append(copy)
        return UInt32(records.count - 1)
    }

    private mutating func keep(_ tags: [String]) {
        tagLists.append(tags)
        tagBytes += FormerStore.cost(tags)
    }

    func status(_ record: Record) -> FileStatus { record.values.status(common[Int(record.values.common)]) }

    func tags(_ record: Record) -> [String]? {
        switch record.tags {
        case TagTable.unknown: nil
        case TagTable.empty: []
        default: tagLists[Int(record.tags) - 2]
        }
    }

    @inline(__always)
    func withName<R, E: Error>(
        _ record: Record, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let start = record.nameOffset
        return try names.withUnsafeBufferPointer { (bytes) throws(E) -> R in
            let name = UnsafeBufferPointer(rebasing: bytes[start..<start + Int(record.nameLength)])
            return try body(UnsafeRawBufferPointer(name))
        }
    }

    /// Whether a live row is as it was recorded.
    func isCurrent(_ record: Record, _ row: UInt32, of rows: borrowing RowStore) -> Bool {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        guard block.generation[slot] == record.generation, block.parent[slot] == record.parent,
            block.flags[slot] == record.flags, block.values(slot) == record.values
        else { return false }
        let name = block.nameBytes(slot)
        guard withName(record, { $0.elementsEqual(name) }) else { return false }
        return tags(record) == rows.tags(row)
    }
}
