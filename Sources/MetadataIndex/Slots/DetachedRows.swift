// The identities of removed entries that may come again.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The treatment of the identity of an entry that is removed.
enum Remembrance: Equatable {
    /// It ends.
    case none
    /// It is kept until ``IndexStorage/endDetached()``. The row's values besides the identity may be known to be old.
    case moved(isOutdated: Bool)
    /// It is kept until ``IndexStorage/endInaccessible()``.
    case inaccessible

    /// Whether the entry's name is kept too. `isBelow`: it is removed together with its directory.
    func needsName(isBelow: Bool) -> Bool {
        switch self {
        case .none: false
        case .moved: isBelow
        case .inaccessible: true
        }
    }
}

/// Keeps the identities of removed entries for two reasons: the file may have moved, or its directory is inaccessible. Their
/// slots are not free meanwhile. A method that ends identities returns their rows, which the caller frees.
struct DetachedRows {
    /// Identities of entries that may have moved (``IndexStorage/detach(_:isOutdated:)``).
    private var moved = DetachedIdentities()
    /// Identities of entries below directories that are inaccessible now (``IndexStorage/detachInaccessible(_:)``).
    private var inaccessible = DetachedIdentities()

    var isEmpty: Bool { moved.isEmpty && inaccessible.isEmpty }
    /// How many slots are not free for this.
    var count: Int { moved.count + inaccessible.count }
    /// Whether entries below inaccessible directories are kept.
    var hasInaccessible: Bool { !inaccessible.isEmpty }
    /// Bytes held, about.
    var byteCount: Int { moved.byteCount + inaccessible.byteCount }

    /// Whether a removal needs the status of each row.
    @inline(__always)
    func needsStatus(_ remembrance: Remembrance) -> Bool { remembrance != .none || !inaccessible.isEmpty }

    /// Takes the identity of an entry that comes again, wherever it was kept; nil if there is none.
    mutating func take(
        _ status: FileStatus, named name: UnsafeRawBufferPointer, in directory: DetachedIdentities.Occupant
    ) -> DetachedIdentities.Identity? {
        moved.take(status, named: name, in: directory) ?? inaccessible.take(status)
            ?? inaccessible.take(status.identity, named: name, in: directory)
    }

    /// Keeps the identity of an entry that is removed from a directory. Returns the row that ends for it or is not kept; nil if
    /// there is none. `isBelow`: the entry is removed together with its directory.
    mutating func keep(
        _ occupant: DetachedIdentities.Occupant, _ status: FileStatus, named name: [UInt8],
        in directory: DetachedIdentities.Occupant, as remembrance: Remembrance, isBelow: Bool
    ) -> UInt32? {
        var kept = DetachedIdentities.Identity(
            row: occupant.row, generation: occupant.generation, isDirectory: status.kind.isDirectory)
        switch remembrance {
        case .none: return occupant.row
        case .inaccessible:
            // It is where it was, and may not have changed at all.
            kept.place = (directory, name)
            if DetachedIdentities.isKnownAgain(status) { return inaccessible.keep(kept, of: status.identity)?.row }
            if status.created == nil { return occupant.row }
            return inaccessible.keep(kept, of: status.identity, named: name, in: directory)?.row
        case .moved(let isOutdated):
            kept.young = DetachedIdentities.young(status, isOutdated: isOutdated)
            if isBelow, kept.young != nil { kept.place = (directory, name) }
            if DetachedIdentities.isKnownAgain(status) { return moved.keep(kept, of: status.identity)?.row }
            guard isBelow, status.identity == .unknown else { return occupant.row }
            return moved.keep(kept, of: .unknown, named: name, in: directory)?.row
        }
    }

    /// Ends the identities of entries that may have moved.
    mutating func endDetached() -> [UInt32] { DetachedRows.end(&moved) }

    /// Ends the identities of entries below inaccessible directories.
    mutating func endInaccessible() -> [UInt32] { DetachedRows.end(&inaccessible) }

    /// Ends the identity that a file had in an inaccessible directory: a row was this file since, and is another now.
    mutating func endInaccessible(_ file: FileIdentity) -> UInt32? { inaccessible.end(file)?.row }

    private static func end(_ identities: inout DetachedIdentities) -> [UInt32] {
        guard !identities.isEmpty else { return [] }
        var rows: [UInt32] = []
        identities.forEach { rows.append($0.row) }
        identities = DetachedIdentities()
        return rows
    }

    /// Returns the files among these rows that may lie in inaccessible directories too. Hardly any row is one of those, which
    /// the last bits of its inode tell: 10 to 20 ms of the processor for a million rows, where a set of the inodes took 30.
    func inaccessibleFiles(_ gone: borrowing RowBits, of rows: RowStore) -> [FileIdentity] {
        if inaccessible.isEmpty { return [] }
        let count: UInt32 = 1 << 20
        let bits = { (inode: UInt64) in UInt32(truncatingIfNeeded: inode) & (count - 1) }
        var inodes = RowBits(blocks: Int(count) / Block.capacity)
        for file in inaccessible.identities.keys { inodes.insert(bits(file.inode)) }
        var found: [FileIdentity] = []
        gone.forEach { row in
            guard inodes.contains(bits(rows.block(row).inode[RowStore.slot(row)])) else { return }
            let status = rows.status(row)
            if DetachedIdentities.isKnownAgain(status) { found.append(status.identity) }
        }
        return found
    }

    // MARK: Saving

    /// Encodes the identities of entries that may have moved, the most recent ones in at most `limit` bytes.
    func saved(limit: Int) -> [UInt8] { moved.isEmpty ? [] : moved.bytes(limit: limit) }

    /// Keeps an identity that was saved. Returns the row that ends for it; nil if there is none.
    mutating func restore(_ saved: DetachedIdentities.Saved) -> UInt32? {
        guard let place = saved.place else { return moved.keep(saved.identity, of: saved.file)?.row }
        return moved.keep(saved.identity, of: saved.file, named: place.name, in: place.directory)?.row
    }
}
