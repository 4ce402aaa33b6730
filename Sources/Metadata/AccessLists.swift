// The access control lists of this process.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The access control lists of all files that were seen, kept for the whole process and never let go: few exist. From any
/// thread.
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

    private static let table = Mutex(AccessListTable(maximumCount: maximumCount, maximumBytes: maximumBytes))

    /// The handle of a list, given as the bytes of its extended attribute: see ``AccessListTable/intern(_:owner:)``.
    package static func intern(_ bytes: [UInt8], owner: UInt32) -> AccessListID {
        bytes.isEmpty ? .none : table.withLock { $0.intern(bytes, owner: owner) }
    }

    /// Owners of whom a list was refused since they have their share.
    package static var ownersPastShare: [UInt32] { table.withLock { $0.ownersPastShare } }

    /// The bytes of a list, empty for none: given to ``intern(_:owner:)``, in this process or a later one, they are the same
    /// list again.
    package static func bytes(of list: AccessListID) -> [UInt8] { table.withLock { $0.bytes(of: list) } }

    /// The list itself; one that grants nothing for a handle that is none.
    package static func list(_ list: AccessListID) -> AccessList { table.withLock { $0.list(list) } }
}
