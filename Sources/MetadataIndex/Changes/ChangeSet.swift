// The changes of an index between two clocks: each row once, with its pre-image.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The changes of an index between two points of its clock: each row once, in the order of its first change, with its state
/// at the beginning. Pre-images stand in arenas, not in objects.
///
/// A row whose occupant was removed and whose slot was reused is one change: its pre-image has the old generation, the
/// index has the new one (``Transition/replaced(former:current:)``). A row that was added and removed within the set is not
/// in it, nor is a row that returned to its pre-image. A row below a moved directory is in the set only if it changed itself.
package struct ChangeSet: Sendable {
    /// One changed row.
    struct Change: Sendable {
        var row: UInt32
        /// Where its pre-image stands (``PreImageStore/record(_:)``); `ChangeSet.noPreImage` where the slot was empty.
        var preImage: UInt32
    }

    static let noPreImage = UInt32.max
    /// Up to so many changes, looking through them is faster than a table.
    private static let scanned = 8

    var changes: [Change] = []
    var preImages = PreImageStore()
    /// The places in `changes` by row, open addressing by powers of two; `UInt32.max` where empty. Empty for small sets.
    private var table: [UInt32] = []
    /// Many rows that were added at once, ascending, which are not in `table`.
    private var run: RankedRows?

    /// Nothing changed.
    package init() {}

    /// The clock before the first change.
    package internal(set) var since: UInt64 = 0
    /// The clock after the last change.
    package internal(set) var clock: UInt64 = 0

    /// How many rows changed.
    package var count: Int { changes.count }
    /// Whether nothing changed.
    package var isEmpty: Bool { changes.isEmpty }

    /// The row of a change. Complexity: O(1), as all here unless said otherwise.
    package func row(at index: Int) -> Row { Row(changes[index].row) }

    /// Where the change of a row stands, nil if it did not change.
    package func index(of row: Row) -> Int? { find(row.number) }

    /// Bytes held.
    var byteCount: Int { changes.capacity * 8 + table.capacity * 4 + preImages.byteCount + (run?.byteCount ?? 0) }
}

// MARK: Pre-images

extension ChangeSet {
    /// The state of a row from before, without its name.
    package struct PreImage: Sendable, Hashable {
        /// The identifier of the row's former occupant.
        package let identifier: ItemIdentifier
        /// Its directory.
        package let parent: Row
        /// Its status.
        package let status: FileStatus
        /// Its extended attributes, nil where they were not known.
        package let xattrs: ExtraAttributes?
    }

    /// Whether there was an entry in the row before.
    @inline(__always)
    package func hasPreImage(at index: Int) -> Bool { changes[index].preImage != ChangeSet.noPreImage }

    /// The state of the row from before, nil where the slot was empty.
    package func preImage(at index: Int) -> PreImage? {
        let change = changes[index]
        guard change.preImage != ChangeSet.noPreImage else { return nil }
        let record = preImages.record(change)
        return PreImage(
            identifier: ItemIdentifier(row: Row(change.row), generation: record.generation),
            parent: Row(record.parent), status: preImages.status(record),
            xattrs: preImages.xattrs(record))
    }

    /// Returns the facts of a package besides its status, before the set; nil if the row was no package.
    package func preImagePackage(at index: Int) -> PackageFacts? {
        let change = changes[index]
        return change.preImage == ChangeSet.noPreImage ? nil : preImages.package(preImages.record(change))
    }

    /// Returns the numbers of conflict versions from before.
    package func preImageConflicts(at index: Int) -> ConflictCount {
        let change = changes[index]
        guard change.preImage != ChangeSet.noPreImage else { return ConflictCount() }
        return preImages.conflicts(preImages.record(change)) ?? ConflictCount()
    }

    /// Lends the name from before; empty where the slot was empty.
    package func withPreImageName<R, E: Error>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let change = changes[index]
        guard change.preImage != ChangeSet.noPreImage else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try preImages.withName(preImages.record(change), body)
    }

    /// How the occupants of a row changed.
    package enum Transition: Hashable, Sendable {
        /// An item came into an empty slot.
        case added(ItemIdentifier)
        /// The item is gone.
        case removed(ItemIdentifier)
        /// The same item has other values.
        case changed(ItemIdentifier)
        /// One item is gone, and another is in its slot.
        case replaced(former: ItemIdentifier, current: ItemIdentifier)
    }

    /// Returns how the occupant of a changed row changed, as of `reader`: the index right after the set was taken, or a
    /// snapshot from then. Nil where both occupants are missing, which happens only if the index advanced since.
    package func transition(at index: Int, in reader: borrowing some RowReader) -> Transition? {
        let change = changes[index]
        let row = Row(change.row)
        let current = reader.identifier(of: row)
        guard change.preImage != ChangeSet.noPreImage else { return current.map { .added($0) } }
        let former = ItemIdentifier(row: row, generation: preImages.generation(change))
        guard let current else { return .removed(former) }
        return current == former ? .changed(current) : .replaced(former: former, current: current)
    }
}

// MARK: Recording

extension ChangeSet {
    /// Whether the row is in the set.
    @inline(__always)
    func contains(_ row: UInt32) -> Bool { find(row) != nil }

    @inline(__always)
    private static func place(_ row: UInt32, _ mask: Int) -> Int {
        // Sixteen rows that follow each other have places that do, in one line of the cache.
        let line = Int(truncatingIfNeeded: (UInt64(row >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 32)
        return (line << 4 | Int(row & 15)) & mask
    }

    @inline(__always)
    func find(_ row: UInt32) -> Int? {
        if let place = run?.place(row) { return place }
        if table.isEmpty { return changes.firstIndex { $0.row == row } }
        let mask = table.count - 1
        var place = ChangeSet.place(row, mask)
        while table[place] != .max {
            if changes[Int(table[place])].row == row { return Int(table[place]) }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds a row that is not in the set.
    @inline(__always)
    mutating func append(_ row: UInt32, preImage: UInt32) {
        changes.append(Change(row: row, preImage: preImage))
        if changes.count <= ChangeSet.scanned { return }
        let filed = changes.count - (run?.count ?? 0)
        if filed * 2 > table.count {
            buildTable(room: filed * 2)
        } else {
            file(changes.count - 1, table.count - 1)
        }
    }

    /// Adds many rows that are not in the set and have their pre-images in one place.
    mutating func append(_ rows: borrowing RowBits, preImage: UInt32) {
        let start = changes.count
        let total = start + rows.count
        changes.reserveCapacity(total)
        rows.forEach { changes.append(Change(row: $0, preImage: preImage)) }
        if run == nil { run = RankedRows(copy rows, start: start) }
        buildTable(room: total - (run?.count ?? 0))
    }

    @inline(__always)
    private mutating func file(_ index: Int, _ mask: Int) {
        var place = ChangeSet.place(changes[index].row, mask)
        while table[place] != .max { place = (place + 1) & mask }
        table[place] = UInt32(index)
    }

    private mutating func buildTable(room: Int) {
        table = []
        if changes.count <= ChangeSet.scanned { return }
        var capacity = 16
        while capacity < room * 2 { capacity *= 2 }
        table = [UInt32](repeating: .max, count: capacity)
        let mask = capacity - 1
        let start = run?.start ?? changes.count
        for index in 0..<start { file(index, mask) }
        for index in start + (run?.count ?? 0)..<changes.count { file(index, mask) }
    }

    /// Drops the changes for which `isVoid` holds.
    mutating func drop(where isVoid: (Change) -> Bool) {
        let before = changes.count
        let void = changes.contains(where: isVoid)
        guard void else { return }
        if let run {
            // The run's rows stay together, in their order.
            var (bits, start) = (run.rows, run.start)
            for (index, change) in changes.enumerated() where isVoid(change) {
                if index < run.start { start -= 1 }
                if index >= run.start, index < run.start + run.count { bits.remove(change.row) }
            }
            let rest = RankedRows(bits, start: start)
            self.run = rest.count > 0 ? rest : nil
        }
        changes.removeAll(where: isVoid)
        if changes.isEmpty {
            self = ChangeSet()
        } else if changes.count != before {
            buildTable(room: changes.count - (run?.count ?? 0))
        }
    }
}
