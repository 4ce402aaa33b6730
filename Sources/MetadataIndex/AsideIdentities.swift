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
        /// What was known of one that had not been seen a moment after its birth; nil of others.
        var young: Young?
    }

    /// What tells a file that has moved from another that was born in the same tick, and given the same inode.
    struct Young {
        var size: Int64
        var modified: Int64
        var changed: Int64
    }

    /// A file system hands an inode out again at once, and times of birth are those of the last tick: up to 10 ms old, and as
    /// a kernel may have it (CONFIG_HZ). So much after its birth a file is the only one of this inode and this time.
    private static let grain: Int64 = 20_000_000

    /// With so many, the first of those that are kept end.
    static let mostIdentities = 65_536

    private(set) var identities: [FileIdentity: Identity] = [:]
    /// The files in the order in which they went, those that came again since among them, from `first` on.
    private var order: [(file: FileIdentity, row: UInt32, generation: UInt32)] = []
    private var first = 0

    var isEmpty: Bool { identities.isEmpty }

    /// Keeps one; returns what ends for it, what was kept for the same file before or longest.
    mutating func keep(_ identity: Identity, of file: FileIdentity) -> Identity? {
        if order.count >= 4 * AsideIdentities.mostIdentities { tidy() }
        order.append((file, identity.row, identity.generation))
        if let earlier = identities.updateValue(identity, forKey: file) { return earlier }
        guard identities.count > AsideIdentities.mostIdentities else { return nil }
        while first < order.count {
            first += 1
            guard isKept(order[first - 1]) else { continue }
            return identities.removeValue(forKey: order[first - 1].file)
        }
        return nil
    }

    private func isKept(_ place: (file: FileIdentity, row: UInt32, generation: UInt32)) -> Bool {
        identities[place.file].map { $0.row == place.row && $0.generation == place.generation } ?? false
    }

    private mutating func tidy() {
        order = order[first...].filter(isKept)
        first = 0
    }

    /// Takes the one of a file.
    mutating func take(_ status: FileStatus) -> Identity? {
        guard AsideIdentities.isKnownAgain(status), let known = identities[status.identity],
            known.isDirectory == status.kind.isDirectory, known.young.map({ $0.mayBe(status) }) ?? true
        else { return nil }
        identities[status.identity] = nil
        return known
    }

    /// Whether a file that comes is known for the same by what it is: one with several names may be any of them, and without
    /// its birth time an inode may have been handed out again.
    static func isKnownAgain(_ status: FileStatus) -> Bool {
        (status.kind.isDirectory || status.links == 1) && status.created != nil
    }

    /// What is to be remembered of a file besides its identity.
    static func young(_ status: FileStatus) -> Young? {
        guard let created = status.created else { return nil }
        let (age, overflow) = status.changed.nanoseconds.subtractingReportingOverflow(created.nanoseconds)
        guard !overflow, age < grain else { return nil }
        return Young(
            size: status.size, modified: status.modified.nanoseconds, changed: status.changed.nanoseconds)
    }

    /// Bytes held, about.
    var byteCount: Int { identities.capacity * 96 + order.capacity * 48 }
}

extension AsideIdentities.Young {
    /// Whether a file of the same inode and birth may be this one: to move it has changed it since, and nothing but that. A
    /// directory that has moved may have been filled as well.
    fileprivate func mayBe(_ status: FileStatus) -> Bool {
        guard status.changed.nanoseconds > changed else { return false }
        return status.kind.isDirectory || (status.size == size && status.modified.nanoseconds == modified)
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

    /// As ``setAside(_:)``, of all that lies below a directory. What is large enough as a whole goes in sweeps.
    mutating func setAsideChildren(_ row: UInt32) { removeChildren(row, keeps: true) }

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
    func isKept(_ status: FileStatus) -> Bool { AsideIdentities.isKnownAgain(status) }

    /// Chains a slot, which has the next occupant's generation already.
    @inline(__always)
    mutating func free(_ row: UInt32) {
        rows.writable(row).parent[RowStore.slot(row)] = firstFree
        firstFree = row
    }
}
