// The access control lists of this process.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The access control lists of all files that were seen, kept for the whole process as long as somebody may have their handles
/// (``AccessListLease``). From any thread.
package enum AccessLists {
    /// The extended attribute that holds the list, in the layout of `acl_xattr(5)`'s `posix_acl_xattr_header`.
    package static let attribute = "system.posix_acl_access"
    /// How many there are at most (``AccessListTable/maximumCount``).
    package static let maximumCount = 65_536
    /// Bytes of all of them.
    package static let maximumBytes = 16 << 20

    /// Those of one owner.
    package static var countOfOwner: Int { maximumCount / AccessListTable.ownerShare }
    package static var bytesOfOwner: Int { maximumBytes / AccessListTable.ownerShare }

    /// The table, and the lease of the present era. A lease that ends takes the lock, so none is let go of within.
    private struct State {
        var table = AccessListTable(maximumCount: maximumCount, maximumBytes: maximumBytes)
        var present: AccessListLease?

        mutating func lease() -> AccessListLease {
            if let present { return present }
            let lease = AccessListLease(era: table.beginEra()) { era in
                AccessLists.state.withLock { $0.table.endEra(era) }
            }
            present = lease
            return lease
        }
    }

    private static let state = Mutex(State())

    /// The handle of a list, given as the bytes of its extended attribute: see ``AccessListTable/intern(_:owner:)``. It is
    /// good for as long as a lease that was taken before, and then for whoever has named it (``keep(_:)``).
    package static func intern(_ bytes: [UInt8], owner: UInt32) -> AccessListID {
        bytes.isEmpty ? .none : state.withLock { $0.table.intern(bytes, owner: owner) }
    }

    /// The handle of a list that a file had when its index was saved, or nil: see ``AccessListTable/restore(_:owner:)``.
    package static func restore(_ bytes: [UInt8], owner: UInt32) -> AccessListID? {
        state.withLock { $0.table.restore(bytes, owner: owner) }
    }

    /// Shares out what several owners have of the lists that were restored: see ``AccessListTable/balance(_:with:)``.
    package static func balance(_ lists: some Sequence<(list: AccessListID, owner: UInt32)>) {
        state.withLock { state in
            for (list, owner) in lists { state.table.balance(list, with: owner) }
        }
    }

    /// The handle of one that only the past had, or nil: see ``AccessListTable/restore(past:owner:allowance:)``.
    package static func restore(
        past bytes: [UInt8], owner: UInt32, allowance: inout AccessListAllowance
    ) -> AccessListID? {
        state.withLock { $0.table.restore(past: bytes, owner: owner, allowance: &allowance) }
    }

    /// How many lists are kept.
    package static var count: Int { state.withLock { $0.table.count } }

    /// Whether nothing was refused of late that an owner brought.
    package static func hasRoom(for owner: UInt32) -> Bool { state.withLock { $0.table.hasRoom(for: owner) } }

    /// How often there was room again for somebody who had been refused.
    package static var roomMade: UInt64 { state.withLock { $0.table.roomMade } }

    /// The bytes of a list, empty for none: given to ``intern(_:owner:)``, in this process or a later one, they are the same
    /// list again.
    package static func bytes(of list: AccessListID) -> [UInt8] { state.withLock { $0.table.bytes(of: list) } }

    /// The list itself; one that grants nothing for a handle that is none.
    package static func list(_ list: AccessListID) -> AccessList { state.withLock { $0.table.list(list) } }

    // MARK: Letting go

    /// Whether so many lists came that it is time for a sweep.
    package static var isDue: Bool { state.withLock { $0.table.isDue } }

    /// The lease of now, to be taken before handles are got.
    package static func lease() -> AccessListLease { state.withLock { $0.lease() } }

    /// Begins a sweep: whoever takes a lease from now on, names what he has, and lets go of the one that he had, has nothing
    /// else any more.
    package static func beginSweep() {
        let ended = state.withLock { state in
            let ended = state.present
            state.present = nil
            _ = state.lease()
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// Whether somebody has a lease from before the last sweep, which keeps what was named then: what they let go of last makes
    /// room on whatever thread that is.
    package static var hasFormerLeases: Bool { state.withLock { $0.table.hasFormerEras } }

    /// Names lists as such that somebody has, whose lease from before has kept them.
    package static func keep(_ lists: some Sequence<AccessListID>) {
        state.withLock { state in
            for list in lists {
                let isThere = state.table.touch(list)
                assert(isThere, "a list was let go that somebody has")
            }
        }
    }

    /// Names a list that somebody comes to have, and returns it with the lease of now. One that was let go is unknown: what it
    /// grants can only be read again.
    package static func keep(_ list: AccessListID) -> (list: AccessListID, lease: AccessListLease) {
        state.withLock { ($0.table.touch(list) ? list : .unknown, $0.lease()) }
    }

    /// Names lists that only the past has, under a lease; false, with a part of them named, where that is more than is allowed.
    package static func keep(
        past lists: some Sequence<AccessListID>, under lease: AccessListLease, allowance: inout AccessListAllowance
    ) -> Bool {
        state.withLock { state in
            lists.allSatisfy { state.table.touch($0, since: lease.era, allowance: &allowance) }
        }
    }
}
