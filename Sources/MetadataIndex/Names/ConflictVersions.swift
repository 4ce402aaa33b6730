// The conflict versions of an index, and how many each file has.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The conflict versions of an index, and how many each place has. A place is a directory and a name, by its hash
/// (``NameHash``). Its 64 bits depend on a secret, so two places of one hash are not found by trying, and not met by
/// accident.
///
/// A regular file's name tells whether it is a conflict version, and of which name in the same directory. So each row that is
/// filed under a name, or is no more, is looked at: that is a comparison of the length for almost all of them. The numbers of
/// versions (`RowStore.conflicts`) follow when the change set is taken (``settle(_:_:_:_:)``). A file whose number differs
/// then is one change of the set, in whatever order it and its versions came. The numbers are not saved: the names say them.
struct ConflictVersions {
    /// Each version with the place of the file that it belongs to, whether or not that exists.
    private var places: [UInt32: UInt64] = [:]
    private var counts: [UInt64: UInt32] = [:]
    /// The rows whose number of versions may have changed since it was settled.
    private var unsettled: Set<UInt32> = []

    @inline(__always)
    var isEmpty: Bool { places.isEmpty }

    /// Whether numbers are out of date.
    var hasUnsettled: Bool { !unsettled.isEmpty }

    @inline(__always)
    func contains(_ row: UInt32) -> Bool { !places.isEmpty && places[row] != nil }

    /// Bytes held.
    var byteCount: Int { places.capacity * 14 + counts.capacity * 14 + unsettled.capacity * 5 }

    // MARK: Names

    /// Notes a row that was filed under its name, whose hash is given.
    @inline(__always)
    mutating func noteFiled(
        _ row: UInt32, _ hash: UInt64, _ rows: borrowing RowStore, _ names: borrowing NameTable
    ) {
        let length = Int(rows.block(row).name[RowStore.slot(row)] & 0xFF)
        if length > ConflictName.leastAddedBytes { insert(row, rows, names) }
        if !isEmpty { noteOriginal(row, hash) }
    }

    /// Notes a row that is filed under its name no more, but has it still.
    @inline(__always)
    mutating func noteUnfiled(
        _ row: UInt32, _ hash: UInt64, _ rows: borrowing RowStore, _ names: borrowing NameTable
    ) {
        if isEmpty { return }
        noteOriginal(row, hash)
        remove(row, rows, names)
    }

    @inline(never)
    private mutating func noteOriginal(_ row: UInt32, _ hash: UInt64) {
        if count(at: hash) > 0 { unsettled.insert(row) }
    }

    /// Notes that a row under its name got another kind: only a regular file is a version.
    mutating func noteKind(_ row: UInt32, _ rows: borrowing RowStore, _ names: borrowing NameTable) {
        if rows.kind(row) != .file {
            remove(row, rows, names)
        } else if !contains(row) {
            insert(row, rows, names)
        }
    }

    /// Notes rows that are about to go at once, all with their names.
    mutating func forgetAll(_ gone: borrowing RowBits, _ rows: RowStore, _ names: borrowing NameTable) {
        if isEmpty { return }
        for row in Array(places.keys) where gone.contains(row) { remove(row, rows, names) }
        for row in ConflictVersions.counted(gone, rows) { unsettled.insert(row) }
    }

    private static func counted(_ gone: borrowing RowBits, _ rows: RowStore) -> [UInt32] {
        var found: [UInt32] = []
        rows.conflicts.forEach { row, _ in found.append(row) }
        return found.filter { gone.contains($0) }
    }

    /// Notes that the numbers inside a package changed, or that it is no package any more.
    mutating func noteInside(_ package: UInt32) { unsettled.insert(package) }

    @inline(never)
    private mutating func insert(_ row: UInt32, _ rows: borrowing RowStore, _ names: borrowing NameTable) {
        guard rows.kind(row) == .file, let (place, file) = ConflictVersions.original(of: row, rows, names) else {
            return
        }
        places[row] = place
        counts[place, default: 0] += 1
        if let file { unsettled.insert(file) }
    }

    private mutating func remove(_ row: UInt32, _ rows: borrowing RowStore, _ names: borrowing NameTable) {
        guard let place = places.removeValue(forKey: row) else { return }
        let left = (counts[place] ?? 0) &- 1
        counts[place] = left > 0 && left < .max ? left : nil
        if let file = ConflictVersions.original(of: row, rows, names)?.file { unsettled.insert(file) }
    }

    /// Returns the number of versions that the file at a place has.
    private func count(at place: UInt64) -> UInt32 { places.isEmpty ? 0 : counts[place] ?? 0 }

    /// Returns the place and the row of the file that a row is a version of, by its name; nil if it is none.
    private static func original(
        of row: UInt32, _ rows: borrowing RowStore, _ names: borrowing NameTable
    ) -> (place: UInt64, file: UInt32?)? {
        let (block, slot) = (rows.block(row), RowStore.slot(row))
        let name = block.nameBytes(slot)
        guard let added = ConflictName.insertion(in: name.assumingMemoryBound(to: UInt8.self).span) else { return nil }
        let parent = block.parent[slot]
        return withUnsafeTemporaryAllocation(byteCount: name.count, alignment: 1) { buffer in
            let (head, tail) = (name[..<added.lowerBound], name[added.upperBound...])
            buffer.copyBytes(from: head)
            UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]).copyBytes(from: tail)
            var count = head.count + tail.count
            // A version of a version belongs to the file that the first one belongs to.
            while let inner = ConflictName.insertion(
                in: UnsafeRawBufferPointer(rebasing: buffer[..<count]).assumingMemoryBound(to: UInt8.self).span)
            {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[inner.upperBound..<count])
                UnsafeMutableRawBufferPointer(rebasing: buffer[inner.lowerBound...]).copyMemory(from: rest)
                count -= inner.count
            }
            let original = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let place = names.hasher.hash(parent: parent, name: original)
            return (place, names.find(parent, original, place, rows))
        }
    }

    // MARK: Settling

    /// Returns the numbers of a row as they are now; nil if it has none.
    private func number(
        _ row: UInt32, _ rows: borrowing RowStore, _ names: borrowing NameTable, _ packages: borrowing PackageIndex
    ) -> ConflictCount? {
        guard row != 0, rows.isLive(row) else { return nil }
        let inside = packages.isEmpty ? nil : packages.states[row]?.totals.versions
        let count = ConflictCount(
            beside: isEmpty ? 0 : count(at: names.hash(row, rows)), inside: UInt32(clamping: inside ?? 0))
        return count.isNone ? nil : count
    }

    /// Updates the numbers of rows whose versions changed. Differences are recorded, unless the entries were added
    /// unrecorded. Complexity: O(files whose versions changed).
    mutating func settle(
        _ rows: inout RowStore, _ names: borrowing NameTable, _ packages: borrowing PackageIndex,
        _ recorder: inout ChangeRecorder
    ) {
        if unsettled.isEmpty { return }
        let due = unsettled.sorted()
        unsettled = []
        for row in due {
            let count = number(row, rows, names, packages)
            guard count != rows.conflicts[row] else { continue }
            // A row that is gone, or is another item, was recorded with its number then.
            if rows.isLive(row) { recorder.recordDerived(row, of: rows) }
            rows.conflicts[row] = count
        }
    }

    // MARK: Restoring

    /// Finds the conflict versions of restored rows. Complexity: O(rows), about a nanosecond each.
    mutating func find(in rows: RowStore, _ names: borrowing NameTable) {
        for at in rows.blocks.indices {
            let block = rows.blocks[at].block
            for slot in 0..<block.header.pointee.used
            where Int(block.name[slot] & 0xFF) > ConflictName.leastAddedBytes && block.isLive(slot) {
                insert(UInt32(truncatingIfNeeded: at * Block.capacity + slot), rows, names)
            }
        }
    }

    // MARK: Invariants, for tests

    /// Returns the first invariant that does not hold.
    func check(_ rows: RowStore, _ names: borrowing NameTable) -> String? {
        var expected: [UInt64: UInt32] = [:]
        var found = 0
        for row in 1..<rows.slotCount where rows.isLive(row) {
            guard rows.kind(row) == .file, let name = rows.withName(row, { ConflictName($0) }) else {
                if contains(row) { return "row \(row): a version under another name" }
                continue
            }
            guard contains(row) else { return "row \(row): a version that is not known" }
            found += 1
            let parent = rows.parent(row)
            expected[name.original.withUnsafeBytes { names.hasher.hash(parent: parent, name: $0) }, default: 0] += 1
        }
        guard places.count == found else { return "a version that is gone" }
        for row in 1..<rows.slotCount where rows.isLive(row) && !unsettled.contains(row) {
            let shown = rows.conflicts[row] ?? ConflictCount()
            let versions = expected[names.hash(row, rows)] ?? 0
            guard count(at: names.hash(row, rows)) == versions else { return "row \(row): versions counted" }
            guard shown.beside == versions else { return "row \(row): \(shown.beside) versions" }
        }
        var wrong: String?
        rows.conflicts.forEach { (row, count) in
            if unsettled.contains(row) { return }
            if !rows.isLive(row) || count.isNone { wrong = "row \(row): versions of nothing" }
        }
        return wrong
    }
}
