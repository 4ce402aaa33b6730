// Conflict versions: their numbers as names come, change and go.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A regular file's name tells whether it is a conflict version, and of which name in the same directory. So each row that is
/// filed under a name, or is no more, is looked at: that is a comparison of the length for almost all of them. The numbers of
/// versions (`RowStore.conflicts`) follow when the change set is taken (``settleConflicts()``). A file whose number differs
/// then is one change of the set, in whatever order it and its versions came. The numbers are not saved: the names say them.
extension IndexStorage {
    // MARK: Names

    /// A row was filed under its name, whose hash is given.
    @inline(__always)
    mutating func noteFiled(_ row: UInt32, _ hash: UInt64) {
        let length = Int(rows.block(row).name[RowStore.slot(row)] & 0xFF)
        if length > ConflictName.leastAddedBytes { noteVersion(row) }
        if !versions.isEmpty { noteOriginal(row, hash) }
    }

    /// A row is filed under its name no more, but has it still.
    @inline(__always)
    mutating func noteUnfiled(_ row: UInt32, _ hash: UInt64) {
        if versions.isEmpty { return }
        noteOriginal(row, hash)
        forgetVersion(row)
    }

    @inline(never)
    private mutating func noteOriginal(_ row: UInt32, _ hash: UInt64) {
        if versions.count(at: hash) > 0 { versions.unsettled.insert(row) }
    }

    /// A row under its name got another kind: only a regular file is a version.
    mutating func noteKind(_ row: UInt32) {
        if rows.kind(row) != .file {
            forgetVersion(row)
        } else if !versions.contains(row) {
            noteVersion(row)
        }
    }

    @inline(never)
    private mutating func noteVersion(_ row: UInt32) {
        guard rows.kind(row) == .file else { return }
        withOriginal(of: row) { (index, parent, name) in
            let place = index.hasher.hash(parent: parent, name: name)
            index.versions.insert(row, of: place)
            if let file = index.find(parent, name, place) { index.versions.unsettled.insert(file) }
        }
    }

    private mutating func forgetVersion(_ row: UInt32) {
        guard let place = versions.remove(row) else { return }
        withOriginal(of: row) { (index, parent, name) in
            if let file = index.find(parent, name, place) { index.versions.unsettled.insert(file) }
        }
    }

    /// Calls `body` with the directory and the name of the file that a row is a version of; not if the row is none.
    private mutating func withOriginal(
        of row: UInt32, _ body: (inout IndexStorage, UInt32, UnsafeRawBufferPointer) -> Void
    ) {
        let (block, slot) = (rows.block(row), RowStore.slot(row))
        let name = block.nameBytes(slot)
        guard let added = ConflictName.insertion(in: name.assumingMemoryBound(to: UInt8.self).span) else { return }
        let parent = block.parent[slot]
        withUnsafeTemporaryAllocation(byteCount: name.count, alignment: 1) { buffer in
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
            body(&self, parent, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Rows are about to go at once, all with their names.
    mutating func forgetVersions(_ gone: borrowing RowBits) {
        if versions.isEmpty { return }
        for row in Array(versions.rows) where gone.contains(row) { forgetVersion(row) }
        rows.conflicts.forEach { (row, _) in
            if gone.contains(row) { versions.unsettled.insert(row) }
        }
    }

    /// A row got another name or file. `wasVersion` tells what it was before.
    mutating func noteRenamed(_ row: UInt32, wasVersion: Bool) {
        let isVersion = versions.contains(row)
        guard isVersion != wasVersion, let package = package(holding: rows.parent(row)) else { return }
        packages.noteVersion(in: package, isVersion: isVersion)
    }

    // MARK: Settling

    /// Returns the numbers of a row as they are now; nil if it has none.
    private func conflicts(_ row: UInt32) -> ConflictCount? {
        guard row != 0, rows.isLive(row) else { return nil }
        let inside = packages.isEmpty ? nil : packages.states[row]?.totals.versions
        let count = ConflictCount(
            beside: versions.isEmpty ? 0 : versions.count(at: hash(row)), inside: UInt32(clamping: inside ?? 0))
        return count.isNone ? nil : count
    }

    /// Updates the numbers of rows whose versions changed. Differences are recorded, unless the entries were added
    /// unrecorded. Complexity: O(files whose versions changed).
    mutating func settleConflicts() {
        if versions.unsettled.isEmpty { return }
        let due = versions.unsettled.sorted()
        versions.unsettled = []
        for row in due {
            let count = conflicts(row)
            guard count != rows.conflicts[row] else { continue }
            // A row that is gone, or is another item, was recorded with its number then.
            if rows.isLive(row) { recorder.recordDerived(row, of: rows) }
            rows.conflicts[row] = count
        }
    }

    // MARK: Restoring

    /// Finds the conflict versions of restored rows. Complexity: O(rows), about a nanosecond each.
    mutating func findVersions() {
        for at in rows.blocks.indices {
            let block = rows.blocks[at].block
            for slot in 0..<block.header.pointee.used
            where Int(block.name[slot] & 0xFF) > ConflictName.leastAddedBytes && block.isLive(slot) {
                noteVersion(UInt32(truncatingIfNeeded: at * Block.capacity + slot))
            }
        }
    }

    /// Computes the numbers of restored rows, once packages are restored.
    mutating func restoreConflicts() {
        for row in versions.unsettled {
            if let count = conflicts(row) { rows.conflicts[row] = count }
        }
        versions.unsettled = []
    }
}

// MARK: Invariants, for tests

extension IndexStorage {
    /// Returns the first thing about conflict versions that is not as it must be.
    func checkVersions() -> String? {
        var counts: [UInt64: UInt32] = [:]
        var found = 0
        for row in 1..<slots.slotCount where rows.isLive(row) {
            guard rows.kind(row) == .file, let name = rows.withName(row, { ConflictName($0) }) else {
                if versions.contains(row) { return "row \(row): a version under another name" }
                continue
            }
            guard versions.contains(row) else { return "row \(row): a version that is not known" }
            found += 1
            let parent = rows.parent(row)
            counts[name.original.withUnsafeBytes { hasher.hash(parent: parent, name: $0) }, default: 0] += 1
        }
        guard versions.rows.count == found else { return "a version that is gone" }
        for row in 1..<slots.slotCount where rows.isLive(row) && !versions.unsettled.contains(row) {
            let count = rows.conflicts[row] ?? ConflictCount()
            guard versions.count(at: hash(row)) == counts[hash(row)] ?? 0 else { return "row \(row): versions counted" }
            guard count.beside == counts[hash(row)] ?? 0 else { return "row \(row): \(count.beside) versions" }
        }
        var wrong: String?
        rows.conflicts.forEach { (row, count) in
            if versions.unsettled.contains(row) { return }
            if !rows.isLive(row) || count.isNone { wrong = "row \(row): versions of nothing" }
        }
        return wrong
    }
}
