// The identities of entries that are gone and may come again.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The identities of entries that are gone and may come again, by the file that each was. Their slots are not free
/// meanwhile.
struct AsideIdentities {
    struct Identity {
        var row: UInt32
        /// That of the occupant; the slot's own is the next one's already, so that a saved index never gives it again.
        var generation: UInt32
        var isDirectory: Bool
    }

    /// With so many, those that go end at once.
    static let mostIdentities = 65_536

    private(set) var identities: [FileIdentity: Identity] = [:]

    var isEmpty: Bool { identities.isEmpty }
    var isFull: Bool { identities.count >= AsideIdentities.mostIdentities }

    /// Keeps one; returns what was kept for the same file.
    mutating func keep(_ identity: Identity, of file: FileIdentity) -> Identity? {
        identities.updateValue(identity, forKey: file)
    }

    /// Takes the one of a file.
    mutating func take(_ status: FileStatus) -> Identity? {
        guard AsideIdentities.isKnownAgain(status), let known = identities[status.identity],
            known.isDirectory == status.kind.isDirectory
        else { return nil }
        identities[status.identity] = nil
        return known
    }

    /// Whether a file that comes is known for the same by what it is: one with several names may be any of them, and without
    /// its birth time an inode may have been handed out again.
    static func isKnownAgain(_ status: FileStatus) -> Bool {
        (status.kind.isDirectory || status.links == 1) && status.created != nil
    }
}

extension IndexStorage {
    /// Removes an entry and all below it, but keeps their identities for those of the files that come again until
    /// ``endAside()``. Those of a subtree that is large enough to go in sweeps end.
    mutating func setAside(_ row: UInt32) throws(IndexError) {
        try checkItem(row)
        noteDeparture(row)
        unlink(row)
        removeUnlinked(row, keeps: true)
    }

    /// Whatever did not come again is gone.
    mutating func endAside() {
        guard !aside.isEmpty else { return }
        for identity in aside.identities.values { free(identity.row) }
        aside = AsideIdentities()
    }

    /// The slot of an entry that comes again, its generation as it was; else a free one.
    @inline(__always)
    mutating func allocate(for status: FileStatus) throws(IndexError) -> (row: UInt32, isKnown: Bool) {
        if !aside.isEmpty, let known = aside.take(status) {
            rows.writable(known.row).generation[RowStore.slot(known.row)] = known.generation
            return (known.row, true)
        }
        return (try allocate(), false)
    }

    /// Whether the identity of an entry that goes is kept.
    func isKept(_ status: FileStatus) -> Bool { !aside.isFull && AsideIdentities.isKnownAgain(status) }

    /// Chains a slot, which has the next occupant's generation already.
    @inline(__always)
    mutating func free(_ row: UInt32) {
        rows.writable(row).parent[RowStore.slot(row)] = firstFree
        firstFree = row
    }
}
