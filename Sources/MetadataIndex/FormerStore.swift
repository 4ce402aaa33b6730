// Former states of rows in arenas.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Former states of rows in arenas: fixed-size records, the bytes of names, and extra attributes. It needs the index no longer.
struct FormerStore: Sendable {
    /// The state of one row, 80 bytes. Of a row that is held, it is made when it is asked for, its `nameOffset` is below 0
    /// and says where, and `extras` is the index's number.
    struct Record: Sendable {
        var values: RowValues
        var generation: UInt32
        var parent: UInt32
        var nameOffset: Int
        /// 0 for unknown, 1 for none, else the place in `sharedExtras` + 2.
        var extras: UInt32
        var nameLength: UInt8
    }

    /// Rows as they were when many of them changed at once: their blocks, which nobody writes to as long as they stand here.
    private var held: [RowStore] = []
    /// How many times rows are held at most; then their states are copied as ever.
    private static let mostHeld: UInt32 = 64
    /// From here on, the number of a former state says in which of `held` the changed row is to be found.
    static let firstHeld = ChangeSet.noFormer - mostHeld

    var records: [Record] = []
    var names: [UInt8] = []
    var sharedExtras = SharedExtras()
    /// What there was of packages besides their values, by their `nameOffset`.
    var packages: [Int: PackageFacts] = [:]
    /// Owner, group, mode and device by number, as the index has them; the index only appends to its table.
    var common: [CommonAttributes] = []

    /// Roughly what the packages take.
    private var packageBytes = 0

    /// Bytes held, unused capacity included; blocks that stand here as they were are not counted.
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + names.capacity + sharedExtras.byteCount + packageBytes
    }

    /// Records a live row as it is, and returns where.
    @inline(__always)
    mutating func append(_ row: UInt32, of rows: borrowing RowStore) -> UInt32 {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        let name = block.nameBytes(slot)
        let extras = block.extras(slot)
        records.append(
            Record(
                values: block.values(slot), generation: block.generation[slot], parent: block.parent[slot],
                nameOffset: names.count,
                extras: extras > ExtrasTable.empty ? sharedExtras.place(of: rows.extrasList[extras]) + 2 : extras,
                nameLength: UInt8(truncatingIfNeeded: name.count)))
        if block.fileKind(slot) == .package { keep(rows.packages[row], names.count) }
        names.append(contentsOf: name)
        return UInt32(records.count - 1)
    }

    /// Holds all rows as they are now: the number of their former states; nil if rows were held too often.
    mutating func hold(_ rows: RowStore) -> UInt32? {
        guard held.count < Int(FormerStore.mostHeld) else { return nil }
        held.append(rows)
        return FormerStore.firstHeld + UInt32(held.count - 1)
    }

    /// Holds what another store holds: the number of the first; nil if there is nothing, or too much.
    mutating func hold(allOf other: borrowing FormerStore) -> UInt32? {
        guard other.held.count > 0, held.count + other.held.count <= Int(FormerStore.mostHeld) else { return nil }
        let first = FormerStore.firstHeld + UInt32(held.count)
        held.append(contentsOf: other.held)
        return first
    }

    @inline(__always)
    static func isHeld(_ change: ChangeSet.Change) -> Bool {
        change.former >= firstHeld && change.former != ChangeSet.noFormer
    }

    /// The former state of a change that has one.
    @inline(__always)
    func record(_ change: ChangeSet.Change) -> Record {
        if change.former < FormerStore.firstHeld { return records[Int(change.former)] }
        return heldRecord(change.row, Int(change.former - FormerStore.firstHeld))
    }

    private func heldRecord(_ row: UInt32, _ at: Int) -> Record {
        let block = held[at].block(row)
        let slot = RowStore.slot(row)
        return Record(
            values: block.values(slot), generation: block.generation[slot], parent: block.parent[slot],
            nameOffset: -1 - (at << 32 | Int(row)), extras: block.extras(slot),
            nameLength: UInt8(truncatingIfNeeded: block.name[slot]))
    }

    /// The generation of a change's former occupant.
    @inline(__always)
    func generation(_ change: ChangeSet.Change) -> UInt32 {
        if change.former < FormerStore.firstHeld { return records[Int(change.former)].generation }
        return held[Int(change.former - FormerStore.firstHeld)].generation(change.row)
    }

    /// The directory of a change's former occupant.
    @inline(__always)
    func parent(_ change: ChangeSet.Change) -> UInt32 {
        if change.former < FormerStore.firstHeld { return records[Int(change.former)].parent }
        return held[Int(change.former - FormerStore.firstHeld)].parent(change.row)
    }

    /// Copies a record of another store, and returns where.
    mutating func append(_ record: Record, of other: borrowing FormerStore) -> UInt32 {
        var copy = record
        copy.nameOffset = names.count
        other.withName(record) { names.append(contentsOf: $0) }
        if record.extras > ExtrasTable.empty, let list = other.extras(record) {
            copy.extras = sharedExtras.place(of: list) + 2
        }
        if record.values.kind == .package { keep(other.package(record), copy.nameOffset) }
        records.append(copy)
        return UInt32(records.count - 1)
    }

    private mutating func keep(_ package: PackageFacts?, _ nameOffset: Int) {
        guard let package else { return }
        packages[nameOffset] = package
        packageBytes += package.byteCount
    }

    /// What there was of a package besides its values.
    func package(_ record: Record) -> PackageFacts? {
        guard record.values.kind == .package else { return nil }
        let place = record.nameOffset
        return place < 0 ? held[(-1 - place) >> 32].packages[UInt32(truncatingIfNeeded: -1 - place)] : packages[place]
    }

    /// Whether there may have been packages.
    var hasPackages: Bool { !packages.isEmpty || held.contains { !$0.packages.isEmpty } }

    func status(_ record: Record) -> FileStatus { record.values.status(common[Int(record.values.common)]) }

    func extras(_ record: Record) -> ExtraAttributes? {
        switch record.extras {
        case ExtrasTable.unknown: nil
        case ExtrasTable.empty: ExtraAttributes.none
        default:
            record.nameOffset < 0
                ? held[(-1 - record.nameOffset) >> 32].extrasList[record.extras]
                : sharedExtras[record.extras - 2]
        }
    }

    @inline(__always)
    func withName<R, E: Error>(
        _ record: Record, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let start = record.nameOffset
        if start < 0 {
            return try held[(-1 - start) >> 32].withName(UInt32(truncatingIfNeeded: -1 - start), body)
        }
        return try names.withUnsafeBufferPointer { (bytes) throws(E) -> R in
            let name = UnsafeBufferPointer(rebasing: bytes[start..<start + Int(record.nameLength)])
            return try body(UnsafeRawBufferPointer(name))
        }
    }

    /// Whether a live row is as it was recorded. Unknown extras are as good as none.
    func isCurrent(_ record: Record, _ row: UInt32, of rows: borrowing RowStore) -> Bool {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        guard block.generation[slot] == record.generation, block.parent[slot] == record.parent,
            block.values(slot) == record.values,
            record.values.kind != .package || package(record) == rows.packages[row]
        else { return false }
        let name = block.nameBytes(slot)
        guard withName(record, { $0.elementsEqual(name) }) else { return false }
        return extras(record).orNone == rows.extras(row).orNone
    }
}
