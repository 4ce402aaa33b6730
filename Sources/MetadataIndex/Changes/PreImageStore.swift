// Pre-images of rows in arenas.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Pre-images of rows in arenas: fixed-size records, the bytes of names, and extended attributes. It needs the index no longer.
struct PreImageStore: Sendable {
    /// The state of one row, 80 bytes. For a held row it is made on demand: its `nameOffset` is negative and says where the row
    /// is, and `xattrs` is the index's number.
    struct Record: Sendable {
        var values: RowValues
        var generation: UInt32
        var parent: UInt32
        var nameOffset: Int
        /// 0 for unknown, 1 for none, else the place in `sharedXattrs` + 2.
        var xattrs: UInt32
        var nameLength: UInt16
    }

    /// The blocks of rows as they were when many changed at once. Nothing writes to a block while it stands here.
    private var held: [RowStore] = []
    /// How many times rows are held at most; then their states are copied as ever.
    private static let mostHeld: UInt32 = 64
    /// The first number of a pre-image that names a set in `held`.
    static let firstHeld = ChangeSet.noPreImage - mostHeld

    var records: [Record] = []
    var names: [UInt8] = []
    var sharedXattrs = SharedXattrs()
    /// Facts of packages besides their values, by `nameOffset`.
    var packages: [Int: PackageFacts] = [:]
    /// Numbers of conflict versions, by `nameOffset`.
    var conflicts: [Int: ConflictCount] = [:]
    /// States of shared items, by `nameOffset`; empty for a container that is not shared.
    var sync: [Int: SyncState] = [:]
    /// Owner, group, mode, device and access list by the numbers of the records that are not held: the index's own table,
    /// lent with its own records, or a table of this store, since the index gives its numbers again.
    private(set) var common: [CommonAttributes] = []
    private var isLent = false
    /// The numbers of this store's combinations, and the last one used: neighbouring rows share it.
    private var numbers: [CommonAttributes: UInt32] = [:]
    private var lastNumber: (attributes: CommonAttributes, number: UInt32)?
    /// Keeps the access lists that are named there, unless the index does.
    private var lease: AccessListLease?

    /// The approximate memory of the packages.
    private var packageBytes = 0

    /// Bytes held, unused capacity included; blocks that stand here as they were are not counted.
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + names.capacity + sharedXattrs.byteCount + packageBytes
            + conflicts.capacity * 17 + sync.capacity * (MemoryLayout<SyncState>.stride + 9)
            + (isLent ? 0 : common.capacity * MemoryLayout<CommonAttributes>.stride + numbers.capacity * 40)
    }

    /// Records a live row as it is, and returns where. Its combination is known when the index's table has been lent.
    @inline(__always)
    mutating func append(_ row: UInt32, of rows: borrowing RowStore) -> UInt32 {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        let name = block.nameBytes(slot)
        let xattrs = block.xattrs(slot)
        records.append(
            Record(
                values: block.values(slot), generation: block.generation[slot], parent: block.parent[slot],
                nameOffset: names.count,
                xattrs: xattrs > XattrTable.empty ? sharedXattrs.place(of: rows.xattrList[xattrs]) + 2 : xattrs,
                nameLength: UInt16(truncatingIfNeeded: name.count)))
        if block.fileKind(slot) == .package { keep(rows.packages[row], names.count) }
        if !rows.conflicts.isEmpty, let count = rows.conflicts[row] { conflicts[names.count] = count }
        if rows.isShared { sync[names.count] = rows.syncState(row) }
        names.append(contentsOf: name)
        return UInt32(records.count - 1)
    }

    /// Holds all rows as they are now: the number of their pre-images; nil if rows were held too often.
    mutating func hold(_ rows: RowStore) -> UInt32? {
        guard held.count < Int(PreImageStore.mostHeld) else { return nil }
        held.append(rows)
        return PreImageStore.firstHeld + UInt32(held.count - 1)
    }

    /// Holds the blocks that another store holds: returns the number of the first; nil if there are none, or too many.
    mutating func hold(allOf other: borrowing PreImageStore) -> UInt32? {
        guard other.held.count > 0, held.count + other.held.count <= Int(PreImageStore.mostHeld) else { return nil }
        let first = PreImageStore.firstHeld + UInt32(held.count)
        held.append(contentsOf: other.held)
        return first
    }

    @inline(__always)
    static func isHeld(_ change: ChangeSet.Change) -> Bool {
        change.preImage >= firstHeld && change.preImage != ChangeSet.noPreImage
    }

    /// The pre-image of a change that has one.
    @inline(__always)
    func record(_ change: ChangeSet.Change) -> Record {
        if change.preImage < PreImageStore.firstHeld { return records[Int(change.preImage)] }
        return heldRecord(change.row, Int(change.preImage - PreImageStore.firstHeld))
    }

    private func heldRecord(_ row: UInt32, _ at: Int) -> Record {
        let block = held[at].block(row)
        let slot = RowStore.slot(row)
        return Record(
            values: block.values(slot), generation: block.generation[slot], parent: block.parent[slot],
            nameOffset: -1 - (at << 32 | Int(row)), xattrs: block.xattrs(slot),
            nameLength: UInt16(truncatingIfNeeded: block.nameBytes(slot).count))
    }

    /// The generation of a change's former occupant.
    @inline(__always)
    func generation(_ change: ChangeSet.Change) -> UInt32 {
        if change.preImage < PreImageStore.firstHeld { return records[Int(change.preImage)].generation }
        return held[Int(change.preImage - PreImageStore.firstHeld)].generation(change.row)
    }

    /// The directory of a change's former occupant.
    @inline(__always)
    func parent(_ change: ChangeSet.Change) -> UInt32 {
        if change.preImage < PreImageStore.firstHeld { return records[Int(change.preImage)].parent }
        return held[Int(change.preImage - PreImageStore.firstHeld)].parent(change.row)
    }

    /// Copies a record of another store, and returns where.
    mutating func append(_ record: Record, of other: borrowing PreImageStore) -> UInt32 {
        var copy = record
        copy.values.common = number(of: other.attributes(record))
        copy.nameOffset = names.count
        other.withName(record) { names.append(contentsOf: $0) }
        if record.xattrs > XattrTable.empty, let list = other.xattrs(record) {
            copy.xattrs = sharedXattrs.place(of: list) + 2
        }
        if record.values.kind == .package { keep(other.package(record), copy.nameOffset) }
        if let count = other.conflicts(record) { conflicts[copy.nameOffset] = count }
        if let state = other.sync(record) { sync[copy.nameOffset] = state }
        records.append(copy)
        return UInt32(records.count - 1)
    }

    private mutating func keep(_ package: PackageFacts?, _ nameOffset: Int) {
        guard let package else { return }
        packages[nameOffset] = package
        packageBytes += package.byteCount
    }

    /// Returns the facts of a package besides its values.
    func package(_ record: Record) -> PackageFacts? {
        guard record.values.kind == .package else { return nil }
        let place = record.nameOffset
        return place < 0 ? held[(-1 - place) >> 32].packages[UInt32(truncatingIfNeeded: -1 - place)] : packages[place]
    }

    /// Returns the numbers of conflict versions; nil if there were none.
    @inline(__always)
    func conflicts(_ record: Record) -> ConflictCount? {
        let place = record.nameOffset
        if place >= 0 { return conflicts.isEmpty ? nil : conflicts[place] }
        let rows = held[(-1 - place) >> 32]
        return rows.conflicts.isEmpty ? nil : rows.conflicts[UInt32(truncatingIfNeeded: -1 - place)]
    }

    /// Returns the state of an item; nil if its container is not shared.
    @inline(__always)
    func sync(_ record: Record) -> SyncState? {
        let place = record.nameOffset
        if place >= 0 { return sync.isEmpty ? nil : sync[place] }
        let rows = held[(-1 - place) >> 32]
        return rows.isShared ? rows.syncState(UInt32(truncatingIfNeeded: -1 - place)) : nil
    }

    /// Whether some rows were recorded while their container was shared.
    var hasSync: Bool { !sync.isEmpty || held.contains { $0.isShared } }

    /// Whether there may have been packages.
    var hasPackages: Bool { !packages.isEmpty || held.contains { !$0.packages.isEmpty } }

    /// Owner, group, mode, device and access list.
    @inline(__always)
    func attributes(_ record: Record) -> CommonAttributes {
        record.nameOffset < 0
            ? held[(-1 - record.nameOffset) >> 32].common[Int(record.values.common)] : common[Int(record.values.common)]
    }

    func status(_ record: Record) -> FileStatus { record.values.status(attributes(record)) }

    func xattrs(_ record: Record) -> ExtraAttributes? {
        switch record.xattrs {
        case XattrTable.unknown: nil
        case XattrTable.empty: ExtraAttributes.none
        default:
            record.nameOffset < 0
                ? held[(-1 - record.nameOffset) >> 32].xattrList[record.xattrs]
                : sharedXattrs[record.xattrs - 2]
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

    /// Whether a live row is as it was recorded. Unknown extended attributes are as good as none.
    func isCurrent(_ record: Record, _ row: UInt32, of rows: borrowing RowStore) -> Bool {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        // A store has other numbers for the same combinations.
        var values = block.values(slot)
        let number = Int(values.common)
        values.common = record.values.common
        guard block.generation[slot] == record.generation, block.parent[slot] == record.parent,
            values == record.values, rows.common[number] == attributes(record),
            record.values.kind != .package || package(record) == rows.packages[row]
        else { return false }
        guard conflicts(record) == (rows.conflicts.isEmpty ? nil : rows.conflicts[row]) else { return false }
        // A container that is not shared now may have been.
        if rows.isShared || hasSync, sync(record) ?? .notShared != rows.syncState(row) { return false }
        let name = block.nameBytes(slot)
        guard withName(record, { $0.elementsEqual(name) }) else { return false }
        return xattrs(record).orNone == rows.xattrs(row).orNone
    }
}

// MARK: Attributes

extension PreImageStore {
    /// Borrows the combinations of the index that these records number, as long as no number was reused.
    mutating func lend(_ rows: borrowing RowStore) {
        (common, isLent, lease) = (rows.common, true, rows.lease)
    }

    /// Ends that, where the records are used no more: otherwise the index would copy its table to add to it.
    mutating func endLoan() { (common, isLent, lease) = ([], false, nil) }

    /// Keeps the access lists alive that records copied from a later store or index name.
    mutating func keepLists(of later: borrowing PreImageStore) { lease = lease ?? later.lease }
    mutating func keepLists(of rows: borrowing RowStore) { lease = lease ?? rows.lease }

    /// How many combinations there are in a store that was copied to.
    var attributesCount: Int { common.count }

    /// Calls `body` with each access rule in a store that records were copied to.
    func forEachAccess(_ body: (FileAccess) -> Void) {
        for attributes in common { body(attributes.access) }
        for package in packages.values { package.accesses?.forEach { body($0) } }
    }

    /// Names the access lists in a store that was copied to by other handles.
    mutating func replaceLists(_ lists: [AccessListID: AccessListID]) {
        common.replaceLists(lists)
        for (place, package) in packages where package.namesLists {
            var replaced = package
            replaced.replaceLists(lists)
            packages[place] = replaced
        }
        finish()
    }

    /// Lets go of data that only appending needs.
    mutating func finish() { (numbers, lastNumber) = ([:], nil) }

    /// The number of a combination in a table of this store.
    @inline(__always)
    private mutating func number(of attributes: CommonAttributes) -> UInt32 {
        if let lastNumber, lastNumber.attributes == attributes { return lastNumber.number }
        if isLent { keepOwnTable() }
        let number: UInt32
        if let known = numbers[attributes] {
            number = known
        } else {
            number = UInt32(common.count)
            common.append(attributes)
            numbers[attributes] = number
        }
        lastNumber = (attributes, number)
        return number
    }

    /// Goes over from a table that was lent to one of this store, with the combinations that the records name.
    private mutating func keepOwnTable() {
        let lent = common
        (common, isLent) = ([], false)
        for place in records.indices {
            records[place].values.common = number(of: lent[Int(records[place].values.common)])
        }
    }

    /// Gives a file system another number.
    mutating func renumber(device: UInt64, to other: UInt64) {
        func renumber(_ common: inout [CommonAttributes]) {
            for place in common.indices where common[place].device == device { common[place].device = other }
        }
        for place in held.indices { renumber(&held[place].common) }
        renumber(&common)
        finish()
    }
}
