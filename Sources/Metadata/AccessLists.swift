// The access control lists that files have, each kept once.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The access control lists of all files that were seen, each kept once for the whole process, and never let go: few
/// exist. From any thread.
package enum AccessLists {
    /// The extended attribute that holds the list, in the layout of `acl_xattr(5)`'s `posix_acl_xattr_header`.
    package static let attribute = "system.posix_acl_access"
    /// Whoever owns files can make lists without end. Past so many, or so many bytes of them, a new one is `unknown`.
    package static let maximumCount = 65_536
    /// Bytes of all lists together.
    package static let maximumBytes = 16 << 20

    private struct Table {
        /// By number: nothing for no list, and for an unknown one bytes that are no list.
        var bytes: [[UInt8]] = [[], [0xFF]]
        var lists: [AccessList] = [.refusing, .refusing]
        var numbers: [[UInt8]: UInt32] = [[]: 0, [0xFF]: 1]
        var byteCount = 0
    }

    private static let table = Mutex(Table())

    /// The handle of a list, given as the bytes of its extended attribute; `none` for no bytes. Bytes that are no list get a
    /// handle too: such a list grants nothing. Complexity: O(bytes).
    package static func intern(_ bytes: [UInt8]) -> AccessListID {
        if bytes.isEmpty { return .none }
        return table.withLock { table in
            if let known = table.numbers[bytes] { return AccessListID(number: known) }
            guard table.bytes.count < maximumCount, table.byteCount + bytes.count <= maximumBytes else {
                return .unknown
            }
            let number = UInt32(table.bytes.count)
            table.bytes.append(bytes)
            table.lists.append(AccessList(bytes) ?? .refusing)
            table.numbers[bytes] = number
            table.byteCount += bytes.count
            return AccessListID(number: number)
        }
    }

    /// The bytes of a list, empty for none: given to ``intern(_:)``, in this process or a later one, they are the same list
    /// again.
    package static func bytes(of list: AccessListID) -> [UInt8] {
        table.withLock { Int(list.number) < $0.bytes.count ? $0.bytes[Int(list.number)] : [0xFF] }
    }

    /// The list itself; one that grants nothing for a handle that is none.
    package static func list(_ list: AccessListID) -> AccessList {
        table.withLock { Int(list.number) < $0.lists.count ? $0.lists[Int(list.number)] : .refusing }
    }
}
