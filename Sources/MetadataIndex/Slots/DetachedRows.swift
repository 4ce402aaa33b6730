// The identities of removed entries that may come again.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The treatment of the identity of an entry that is removed.
enum Remembrance: Equatable {
    /// It ends.
    case none
    /// It is kept until ``IndexStorage/endAside()``. The row's values besides the identity may be known to be old.
    case aside(isOutdated: Bool)
    /// It is kept until ``IndexStorage/endClosed()``.
    case closed

    /// Whether the entry's name is kept too. `isBelow`: it is removed together with its directory.
    func needsName(isBelow: Bool) -> Bool {
        switch self {
        case .none: false
        case .aside: isBelow
        case .closed: true
        }
    }
}

/// Keeps the identities of removed entries for two reasons: the file may have moved, or its directory is inaccessible. Their slots
/// are not free meanwhile. A method that ends identities returns their rows, which the caller frees.
struct DetachedRows {
    /// Identities of entries that may have moved (``IndexStorage/setAside(_:isOutdated:)``).
    private var aside = AsideIdentities()
    /// Identities of entries below directories that are inaccessible now (``IndexStorage/setAsideClosed(_:)``).
    private var closed = AsideIdentities()

    var isEmpty: Bool { aside.isEmpty && closed.isEmpty }
    /// How many slots are not free for this.
    var count: Int { aside.count + closed.count }
    /// Whether entries below inaccessible directories are kept.
    var hasClosed: Bool { !closed.isEmpty }
    /// Bytes held, about.
    var byteCount: Int { aside.byteCount + closed.byteCount }

    /// Whether a removal needs the status of each row.
    @inline(__always)
    func needsStatus(_ remembrance: Remembrance) -> Bool { remembrance != .none || !closed.isEmpty }

    /// Takes the identity of an entry that comes again, wherever it was kept; nil if there is none.
    mutating func take(
        _ status: FileStatus, named name: UnsafeRawBufferPointer, in directory: AsideIdentities.Occupant
    ) -> AsideIdentities.Identity? {
        aside.take(status, named: name, in: directory) ?? closed.take(status)
            ?? closed.take(status.identity, named: name, in: directory)
    }

    /// Keeps the identity of an entry that is removed from a directory. Returns the row that ends for it or is not kept; nil if
    /// there is none. `isBelow`: the entry is removed together with its directory.
    mutating func keep(
        _ occupant: AsideIdentities.Occupant, _ status: FileStatus, named name: [UInt8],
        in directory: AsideIdentities.Occupant, as remembrance: Remembrance, isBelow: Bool
    ) -> UInt32? {
        var kept = AsideIdentities.Identity(
            row: occupant.row, generation: occupant.generation, isDirectory: status.kind.isDirectory)
        switch remembrance {
        case .none: return occupant.row
        case .closed:
            // It is where it was, and may not have changed at all.
            kept.place = (directory, name)
            if AsideIdentities.isKnownAgain(status) { return closed.keep(kept, of: status.identity)?.row }
            if status.created == nil { return occupant.row }
            return closed.keep(kept, of: status.identity, named: name, in: directory)?.row
        case .aside(let isOutdated):
            kept.young = AsideIdentities.young(status, isOutdated: isOutdated)
            if isBelow, kept.young != nil { kept.place = (directory, name) }
            if AsideIdentities.isKnownAgain(status) { return aside.keep(kept, of: status.identity)?.row }
            guard isBelow, status.identity == .unknown else { return occupant.row }
            return aside.keep(kept, of: .unknown, named: name, in: directory)?.row
        }
    }

    /// Ends the identities of entries that may have moved.
    mutating func endAside() -> [UInt32] { DetachedRows.end(&aside) }

    /// Ends the identities of entries below inaccessible directories.
    mutating func endClosed() -> [UInt32] { DetachedRows.end(&closed) }

    /// Ends the identity that a file had in an inaccessible directory: a row was this file since, and is another now.
    mutating func endClosed(_ file: FileIdentity) -> UInt32? { closed.end(file)?.row }

    private static func end(_ identities: inout AsideIdentities) -> [UInt32] {
        guard !identities.isEmpty else { return [] }
        var rows: [UInt32] = []
        identities.forEach { rows.append($0.row) }
        identities = AsideIdentities()
        return rows
    }

    /// Returns the files among these rows that may lie in inaccessible directories too. Hardly any row is one of those, which the
    /// last bits of its inode tell: 10 to 20 ms of the processor for a million rows, where a set of the inodes took 30.
    func closedFiles(_ gone: borrowing RowBits, of rows: RowStore) -> [FileIdentity] {
        if closed.isEmpty { return [] }
        let count: UInt32 = 1 << 20
        let bits = { (inode: UInt64) in UInt32(truncatingIfNeeded: inode) & (count - 1) }
        var inodes = RowBits(blocks: Int(count) / Block.capacity)
        for file in closed.identities.keys { inodes.insert(bits(file.inode)) }
        var found: [FileIdentity] = []
        gone.forEach { row in
            guard inodes.contains(bits(rows.block(row).inode[RowStore.slot(row)])) else { return }
            let status = rows.status(row)
            if AsideIdentities.isKnownAgain(status) { found.append(status.identity) }
        }
        return found
    }

    // MARK: Saving

    /// Encodes the identities of entries that may have moved, the most recent ones in at most `limit` bytes.
    func saved(limit: Int) -> [UInt8] { aside.isEmpty ? [] : aside.bytes(limit: limit) }

    /// Keeps an identity that was saved. Returns the row that ends for it; nil if there is none.
    mutating func restore(_ saved: AsideIdentities.Saved) -> UInt32? {
        guard let place = saved.place else { return aside.keep(saved.identity, of: saved.file)?.row }
        return aside.keep(saved.identity, of: saved.file, named: place.name, in: place.directory)?.row
    }
}
