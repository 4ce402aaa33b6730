// The content of an index while its container's directory is unavailable.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The detached rows of an index whose container's directory is unavailable, with all tables.
final class DetachedContent {
    var content: IndexStorage

    init(_ content: consuming IndexStorage) { self.content = content }
}

extension IndexStorage {
    mutating func detachAll(isRecorded: Bool = true) {
        guard detachedContent == nil else { return }
        endDetached()
        endInaccessible()
        settle()
        if isRecorded { recorder.recordAllLive(of: rows) }
        var other = IndexStorage(root: rows.status(0), key: names.hasher.key)
        // Change sets name combinations by number, so the table is kept.
        other.takeAttributes(of: self)
        // The new root's number was that of a table with nothing else.
        other.rows.writable(0).common[0] = rows.block(0).common[0]
        swap(&self, &other)
        takeOver(from: &other)
        detachedContent = DetachedContent(other)
    }

    mutating func attachAll() -> Bool {
        guard let box = detachedContent else { return false }
        detachedContent = nil
        var other = IndexStorage(root: rows.status(0), key: names.hasher.key)
        swap(&box.content, &other)
        other.takeAttributes(of: self)
        let root = rows.values(0)
        swap(&self, &other)
        takeOver(from: &other)
        apply(root, to: 0)
        for row in 1..<slots.slotCount where rows.isLive(row) { recorder.recordInsertion(row) }
        return true
    }

    private mutating func takeAttributes(of other: borrowing IndexStorage) {
        attributes.take(from: other.attributes, of: other.rows, into: &rows)
    }

    /// Swaps the state that belongs to the index whatever rows it shows.
    private mutating func takeOver(from other: inout IndexStorage) {
        swap(&recorder, &other.recorder)
        slots.takeGenerations(from: other.slots)
        limits = other.limits
        // Items that were below one are among the pre-images.
        if other.rows.hasArchives { rows.hasArchives = true }
        // A helper has to begin anew with the items found.
        sync.reset(isShared: other.rows.isShared, &rows)
    }
}

extension IndexStorage {
    /// Lowers the generation limit below the floor of a later run that would not know of new occupants.
    mutating func boundGenerations() { slots.bound(rows.blocks + (detachedContent?.content.rows.blocks ?? [])) }
}

// MARK: Device numbers

extension IndexStorage {
    /// Gives a file system another number.
    mutating func renumber(device: UInt64, to other: UInt64) {
        if let box = detachedContent {
            // Both have one table: of two that become the same, both go on with the same one.
            box.content.takeAttributes(of: self)
            box.content.renumber(device: device, to: other)
        }
        recorder.renumber(device: device, to: other)
        guard attributes.renumber(device: device, to: other, in: &rows) else { return }
        inodes = InodeTable(hasher: names.hasher)
        for row in 0..<slots.slotCount where rows.isLive(row) && rows.values(row).isFoundByInode {
            inodes.insert(row, rows)
        }
    }
}
