// A POSIX access control list and its evaluation.
// SPDX-License-Identifier: Apache-2.0

/// A POSIX access control list: `acl(5)`.
package struct AccessList: Sendable, Hashable {
    /// The subject of an entry (`ACL_USER_OBJ` and so on).
    package enum Tag: UInt16, Sendable {
        case owner = 0x01
        case user = 0x02
        case owningGroup = 0x04
        case group = 0x08
        case mask = 0x10
        case other = 0x20
    }

    /// An entry of the list.
    package struct Entry: Sendable, Hashable {
        package var tag: Tag
        package var permissions: Permissions
        /// The user or group that the entry names, if any.
        package var number: UInt32

        package init(_ tag: Tag, _ permissions: Permissions, number: UInt32 = .max) {
            self.tag = tag
            self.permissions = permissions
            self.number = number
        }
    }

    /// The entries in the kernel's order, which is that of the tags.
    package let entries: [Entry]

    /// A list that grants nothing.
    package static let refusing = AccessList(entries: [])

    package init(entries: [Entry]) { self.entries = entries }

    private static let version: UInt32 = 2

    /// Decodes the value of the extended attribute: a version, then eight bytes for each entry, all little-endian. Nil
    /// if the bytes are malformed.
    package init?(_ bytes: [UInt8]) {
        func number(at offset: Int, count: Int) -> UInt32 {
            (0..<count).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
        }
        guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, number(at: 0, count: 4) == AccessList.version else {
            return nil
        }
        var entries: [Entry] = []
        for offset in stride(from: 4, to: bytes.count, by: 8) {
            guard let tag = Tag(rawValue: UInt16(number(at: offset, count: 2))) else { return nil }
            let permissions = Permissions(rawValue: UInt8(truncatingIfNeeded: number(at: offset + 2, count: 2) & 7))
            entries.append(Entry(tag, permissions, number: number(at: offset + 4, count: 4)))
        }
        self.entries = entries
    }

    /// The bytes of the extended attribute.
    package var bytes: [UInt8] {
        func little(_ number: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        }
        return little(AccessList.version, 4)
            + entries.flatMap {
                little(UInt32($0.tag.rawValue), 2) + little(UInt32($0.permissions.rawValue), 2) + little($0.number, 4)
            }
    }

    /// Returns whether the list grants all wanted permissions to a caller that is not the owner. The algorithm is that
    /// of `acl(5)` and the kernel's `posix_acl_permission`. A named user's entry decides first, then any group entry
    /// that grants them, both limited by the mask. The entry for others counts only where no entry matches the caller.
    package func grants(_ wanted: Permissions, to caller: Credentials, owningGroup: UInt32) -> Bool {
        var isInGroup = false
        for entry in entries {
            switch entry.tag {
            case .owner, .mask: break
            case .user:
                // A user or group that this user namespace does not map is `Credentials.unmapped`, in an entry and in a
                // caller. These may be different users.
                guard entry.number == caller.user, entry.number != Credentials.unmapped else { break }
                return isGrantedByMask(wanted, entry)
            case .owningGroup, .group:
                let group = entry.tag == .group ? entry.number : owningGroup
                guard group != Credentials.unmapped, caller.isMember(of: group) else { break }
                isInGroup = true
                if entry.permissions.isSuperset(of: wanted) { return isGrantedByMask(wanted, entry) }
            case .other: return !isInGroup && entry.permissions.isSuperset(of: wanted)
            }
        }
        return false
    }

    private func isGrantedByMask(_ wanted: Permissions, _ entry: Entry) -> Bool {
        guard entry.permissions.isSuperset(of: wanted) else { return false }
        let mask = entries.first { $0.tag == .mask }
        return mask.map { $0.permissions.isSuperset(of: wanted) } ?? true
    }
}
