// The access control lists that files have, each kept once, and whose they are.
// SPDX-License-Identifier: Apache-2.0

/// Access control lists, each kept once. Whoever owns files can make lists without end, so each is charged to the owner of
/// the file that brought it first, and one owner has a share of the table: what they cannot keep is theirs alone.
package struct AccessListTable {
    /// Past so many lists, or so many bytes of them, a new one is ``AccessListID/unknown``.
    package let maximumCount: Int
    /// Bytes of all lists together.
    package let maximumBytes: Int
    /// One owner other than root may take this part of either.
    package static let ownerShare = 16

    /// What is charged to one owner.
    private struct Charge {
        var count = 0
        var bytes = 0
        /// Whether a list was refused since it would have been too much for their share.
        var isPastShare = false

        mutating func add(_ size: Int) {
            count += 1
            bytes += size
        }
    }

    /// By number: nothing for no list, and for an unknown one bytes that are no list.
    private var bytes: [[UInt8]] = [[], [0xFF]]
    private var lists: [AccessList] = [.refusing, .refusing]
    private var numbers: [[UInt8]: UInt32] = [[]: 0, [0xFF]: 1]
    private var charges: [UInt32: Charge] = [:]
    /// What is charged to all.
    private var total = Charge()

    package init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// How many lists are kept.
    package var count: Int { total.count }

    /// Owners of whom a list was refused since they have their share.
    package var ownersPastShare: [UInt32] { charges.filter(\.value.isPastShare).keys.sorted() }

    /// The handle of a list, given as the bytes of its extended attribute, of a file of this owner; `none` for no bytes.
    /// Bytes that are no list get a handle too: such a list grants nothing. Complexity: O(bytes).
    package mutating func intern(_ bytes: [UInt8], owner: UInt32) -> AccessListID {
        if let known = numbers[bytes] { return AccessListID(number: known) }
        guard total.count < maximumCount, total.bytes + bytes.count <= maximumBytes else { return .unknown }
        guard owner == 0 || hasRoom(for: bytes.count, of: owner) else {
            charges[owner]?.isPastShare = true
            return .unknown
        }
        let number = UInt32(self.bytes.count)
        self.bytes.append(bytes)
        lists.append(AccessList(bytes) ?? .refusing)
        numbers[bytes] = number
        total.add(bytes.count)
        charges[owner, default: Charge()].add(bytes.count)
        return AccessListID(number: number)
    }

    private func hasRoom(for bytes: Int, of owner: UInt32) -> Bool {
        let charge = charges[owner] ?? Charge()
        return charge.count < maximumCount / AccessListTable.ownerShare
            && charge.bytes + bytes <= maximumBytes / AccessListTable.ownerShare
    }

    /// The bytes of a list, empty for none; for a handle that is none those of an unknown one.
    package func bytes(of list: AccessListID) -> [UInt8] {
        Int(list.number) < bytes.count ? bytes[Int(list.number)] : [0xFF]
    }

    /// The list itself; one that grants nothing for a handle that is none.
    package func list(_ list: AccessListID) -> AccessList {
        Int(list.number) < lists.count ? lists[Int(list.number)] : .refusing
    }
}
