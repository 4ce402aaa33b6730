// How rows go: one by one, in sweeps, or with their identities kept.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Row by row, a removal is some fifteen misses of the cache: 0.7 µs a row, so a tree of a million rows held everybody
/// else for the better part of a second. A subtree that is a fair part of the index goes in sweeps over the columns and the
/// tables instead, in the order of memory; and its pre-images are not copied: the open set holds the blocks as they were,
/// and the index goes on with others, as it does beside a snapshot. Some 45 ms of the processor for a million rows.
extension IndexStorage {
    mutating func remove(_ row: UInt32) throws(IndexError) {
        try checkItem(row)
        packages.noteDeparture(row, rows, versions, limits)
        unlink(row)
        removeUnlinked(row)
    }

    mutating func removeChildren(_ row: UInt32, keeps: Remembrance = .none) {
        packages.noteDeparture(below: row, rows, versions, limits)
        if isSwept(below: row, keeps: keeps) { return sweep(below: row, isTopGone: false) }
        while true {
            let child = rows.firstChild(row)
            if child == Row.none { return }
            unlink(child)
            removeUnlinked(child, keeps: keeps)
        }
    }

    /// Removes a row that is not among its parent's children any more, and all below it: children before their directory,
    /// along the links, with neither recursion nor a stack.
    mutating func removeUnlinked(_ top: UInt32, keeps: Remembrance = .none) {
        if isSwept(below: top, keeps: keeps) { return sweep(below: top, isTopGone: true) }
        var row = top
        while true {
            let child = rows.firstChild(row)
            if child != Row.none {
                row = child
                continue
            }
            let parent = rows.parent(row)
            let next = row == top ? Row.none : rows.next(row)
            if row != top { rows.writable(parent).setFirstChild(RowStore.slot(parent), next) }
            record(row)
            unfile(row)
            vacate(row, keeps: keeps, isBelow: row != top)
            if row == top { return }
            row = next != Row.none ? next : parent
        }
    }

    /// Ends the occupant of a row without children, which is filed and linked no more, and gives the slot free.
    mutating func vacate(_ row: UInt32, keeps: Remembrance = .none, isBelow: Bool = false) {
        let slot = RowStore.slot(row)
        let status = detached.needsStatus(keeps) ? rows.status(row) : nil
        let name = keeps.needsName(isBelow: isBelow) ? Array(rows.block(row).nameBytes(slot)) : []
        if rows.values(row).isFoundByInode { inodes.remove(row, rows) }
        packages.forgetRow(row, &rows, &versions)
        let block = rows.writable(row)
        setXattrNumber(row, XattrTable.unknown)
        let isDirectory = block.isDirectory(slot)
        if isDirectory { block.removeDirectory(slot) }
        block.dropName(slot)
        block.isLive[slot >> 6] &= ~(1 << UInt64(slot & 63))
        block.header.pointee.live -= 1
        counts.remove(isDirectory: isDirectory)
        let generation = block.generation[slot]
        guard slots.endOccupant(block, slot) else { return }
        guard let status else { return slots.free(row, in: &rows) }
        keep(row, generation, status, named: name, as: keeps, isBelow: isBelow)
    }

    // MARK: Sweeps

    /// Whether so much lies below a row that sweeps are cheaper. Complexity: O(smallest sweep).
    func isSwept(below top: UInt32, keeps: Remembrance = .none) -> Bool {
        let limit =
            keeps == .inaccessible
            ? DetachedIdentities.mostIdentities + 1 : max(limits.smallestSweep, Int(slots.slotCount) / 64)
        return rows.descendantCount(of: top, atMost: limit) >= limit
    }

    /// Removes all below a row, and the row itself, which then is in its parent's list no more, if `isTopGone`.
    /// Complexity: O(rows of the index), a few ns each.
    mutating func sweep(below top: UInt32, isTopGone: Bool) {
        var gone = rows.rows(below: top)
        if isTopGone { gone.insert(top) }
        recorder.recordAll(gone, of: rows)
        let hidden = detached.inaccessibleFiles(gone, of: rows)
        versions.forgetAll(gone, rows, names)
        names.unfileAll(gone)
        inodes.removeAll(gone, rows)
        releaseXattrs(gone)
        packages.forgetAll(gone, &rows, &versions)
        for at in rows.blocks.indices.reversed() {
            let words = gone.words[at * Block.words..<(at + 1) * Block.words]
            guard words.contains(where: { $0 != 0 }) else { continue }
            let old = rows.blocks[at].block
            for word in 0..<Block.words {
                let bits = words[words.startIndex + word]
                counts.remove(
                    items: bits.nonzeroBitCount, directories: (bits & old.isDirectory[word]).nonzeroBitCount)
            }
            if old.isAll(words) {
                rows.blocks[at] = BlockStorage(Block(emptied: old))
            } else {
                rows.writable(UInt32(truncatingIfNeeded: at * Block.capacity)).drop(words)
            }
            slots.free(words, ofBlock: at, in: rows)
        }
        for file in hidden { endInaccessible(file) }
        if !isTopGone { rows.writable(top).setFirstChild(RowStore.slot(top), Row.none) }
    }

    private mutating func releaseXattrs(_ gone: borrowing RowBits) {
        for at in rows.blocks.indices {
            guard let numbers = rows.blocks[at].block.header.pointee.xattrs else { continue }
            for word in 0..<Block.words {
                var bits = gone.words[at * Block.words + word]
                while bits != 0 {
                    xattrs.release(numbers[word << 6 | bits.trailingZeroBitCount], in: &rows.xattrList)
                    bits &= bits &- 1
                }
            }
        }
    }

    // MARK: Detaching

    /// Removes an entry and all below it, but keeps their identities for those of the files that come again until
    /// ``endDetached()``. Those of a subtree that is large enough to go in sweeps end.
    mutating func detach(_ row: UInt32, isOutdated: Bool) throws(IndexError) {
        try checkItem(row)
        packages.noteDeparture(row, rows, versions, limits)
        unlink(row)
        removeUnlinked(row, keeps: .moved(isOutdated: isOutdated))
    }

    /// Detaches everything below a directory, as ``detach(_:isOutdated:)`` does for one row. Large subtrees are removed in
    /// sweeps.
    mutating func detachChildren(_ row: UInt32) { removeChildren(row, keeps: .moved(isOutdated: false)) }

    /// Detaches everything below a directory that became inaccessible, until ``endInaccessible()``. A subtree with more rows
    /// than are kept is removed in sweeps.
    mutating func detachInaccessible(_ row: UInt32) { removeChildren(row, keeps: .inaccessible) }

    /// Ends the identities of entries that may have moved.
    mutating func endDetached() {
        for row in detached.endDetached() { slots.free(row, in: &rows) }
    }

    /// Ends the identities of entries below inaccessible directories.
    mutating func endInaccessible() {
        for row in detached.endInaccessible() { slots.free(row, in: &rows) }
    }

    /// Ends the identity that a file had in an inaccessible directory: a row was this file since, and goes or is another now.
    mutating func endInaccessible(_ file: FileIdentity) {
        if let row = detached.endInaccessible(file) { slots.free(row, in: &rows) }
    }

    /// Returns the slot of an entry that comes again, its generation as it was; else a free one.
    @inline(__always)
    mutating func allocate(
        for status: FileStatus, named name: UnsafeRawBufferPointer, in directory: UInt32
    ) throws(IndexError) -> (row: UInt32, isKnown: Bool) {
        guard !detached.isEmpty, let known = detached.take(status, named: name, in: occupant(of: directory)) else {
            return (try allocate(), false)
        }
        rows.writable(known.row).generation[RowStore.slot(known.row)] = known.generation
        return (known.row, true)
    }

    /// Keeps the identity of an entry that is removed, or frees its slot. An identity kept for the same file from an
    /// inaccessible directory ends. `isBelow`: the entry is removed together with its directory.
    private mutating func keep(
        _ row: UInt32, _ generation: UInt32, _ status: FileStatus, named name: [UInt8], as remembrance: Remembrance,
        isBelow: Bool
    ) {
        let ended = detached.keep(
            .init(row: row, generation: generation), status, named: name, in: occupant(of: rows.parent(row)),
            as: remembrance, isBelow: isBelow)
        if let ended { slots.free(ended, in: &rows) }
        guard remembrance != .inaccessible, detached.hasInaccessible, DetachedIdentities.isKnownAgain(status) else {
            return
        }
        endInaccessible(status.identity)
    }

    private func occupant(of row: UInt32) -> DetachedIdentities.Occupant {
        DetachedIdentities.Occupant(row: row, generation: rows.generation(row))
    }
}
