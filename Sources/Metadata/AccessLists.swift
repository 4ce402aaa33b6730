// The access control lists of this process.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The access control lists of all files, kept for the whole process while their handles may exist
/// (``AccessListLease``). Callable from any thread.
package enum AccessLists {
    /// The extended attribute with the list, in the layout of `posix_acl_xattr_header`.
    package static let attribute = "system.posix_acl_access"
    /// The limit of lists (``AccessListTable/maximumCount``).
    package static let maximumCount = 65_536
    /// The limit of bytes of all lists.
    package static let maximumBytes = 16 << 20

    /// The limits for one owner.
    package static var countOfOwner: Int { maximumCount / AccessListTable.ownerShare }
    package static var bytesOfOwner: Int { maximumBytes / AccessListTable.ownerShare }

    /// The table, and the lease of the present era. The end of a lease takes the lock, so no lease may end while it is
    /// held.
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

    /// Returns the handle of a list, given the bytes of its extended attribute (``AccessListTable/intern(_:owner:)``).
    /// The handle is valid as long as a lease taken before, or as long as a holder that has named it (``keep(_:)``).
    package static func intern(_ bytes: [UInt8], owner: UInt32) -> AccessListID {
        bytes.isEmpty ? .none : state.withLock { $0.table.intern(bytes, owner: owner) }
    }

    /// Returns the handle of a list from saved state; nil if the table is full (``AccessListTable/restore(_:owner:)``).
    package static func restore(_ bytes: [UInt8], owner: UInt32) -> AccessListID? {
        state.withLock { $0.table.restore(bytes, owner: owner) }
    }

    /// Distributes the charges for restored lists of several owners (``AccessListTable/balance(_:with:)``).
    package static func balance(_ lists: some Sequence<(list: AccessListID, owner: UInt32)>) {
        state.withLock { state in
            for (list, owner) in lists { state.table.balance(list, with: owner) }
        }
    }

    /// Returns the handle of a list that only the change log names; nil beyond the allowance
    /// (``AccessListTable/restore(past:owner:allowance:)``).
    package static func restore(
        past bytes: [UInt8], owner: UInt32, allowance: inout AccessListAllowance
    ) -> AccessListID? {
        state.withLock { $0.table.restore(past: bytes, owner: owner, allowance: &allowance) }
    }

    /// The number of lists.
    package static var count: Int { state.withLock { $0.table.count } }

    /// Whether no list of this owner was refused since lists were freed last.
    package static func hasRoom(for owner: UInt32) -> Bool { state.withLock { $0.table.hasRoom(for: owner) } }

    /// How often lists were freed after a refusal.
    package static var roomMade: UInt64 { state.withLock { $0.table.roomMade } }

    /// Returns the bytes of a list; empty for none. ``intern(_:owner:)`` makes the same list of them, in any process.
    package static func bytes(of list: AccessListID) -> [UInt8] { state.withLock { $0.table.bytes(of: list) } }

    /// Returns the list; one that grants nothing for an invalid handle.
    package static func list(_ list: AccessListID) -> AccessList { state.withLock { $0.table.list(list) } }

    // MARK: Freeing

    /// Whether enough lists are new for a sweep.
    package static var isDue: Bool { state.withLock { $0.table.isDue } }

    /// Returns the present lease. It must be taken before handles are made.
    package static func lease() -> AccessListLease { state.withLock { $0.lease() } }

    /// Begins a sweep. A holder takes a new lease, names its lists and drops its former lease; other lists become
    /// unused.
    package static func beginSweep() {
        let ended = state.withLock { state in
            let ended = state.present
            state.present = nil
            _ = state.lease()
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// Whether a lease from before the last sweep exists, which keeps the lists named then. The thread that drops the
    /// last such lease frees them.
    package static var hasFormerLeases: Bool { state.withLock { $0.table.hasFormerEras } }

    /// Names lists as in use, for a holder whose former lease kept them.
    package static func keep(_ lists: some Sequence<AccessListID>) {
        state.withLock { state in
            for list in lists {
                let isThere = state.table.touch(list)
                assert(isThere, "a list was let go that somebody has")
            }
        }
    }

    /// Names a list for a new holder. Returns it with a present lease. A freed list becomes unknown, and must be read
    /// again.
    package static func keep(_ list: AccessListID) -> (list: AccessListID, lease: AccessListLease) {
        state.withLock { ($0.table.touch(list) ? list : .unknown, $0.lease()) }
    }

    /// Names lists that only the change log has, under a lease. Returns false beyond the allowance, with some of them
    /// named.
    package static func keep(
        past lists: some Sequence<AccessListID>, under lease: AccessListLease, allowance: inout AccessListAllowance
    ) -> Bool {
        state.withLock { state in
            lists.allSatisfy { state.table.touch($0, since: lease.era, allowance: &allowance) }
        }
    }
}
