// Access lists as bytes, each written once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The access lists that a record of the journal or a saved index names, each written once: thousands of files and packages
/// may have one of 64 KiB.
struct SnapshotAccessLists {
    private var lists: [AccessListID] = []
    private var numbers: [AccessListID: UInt32] = [:]

    init() {}

    mutating func removeAll() {
        lists.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
    }

    /// The number that a list is written as.
    mutating func number(of list: AccessListID) -> UInt32 {
        if list == .none { return 0 }
        if let known = numbers[list] { return known }
        lists.append(list)
        let number = UInt32(truncatingIfNeeded: lists.count)
        numbers[list] = number
        return number
    }

    /// Appends how many there are, and the length and the bytes of each.
    func append(to bytes: inout [UInt8]) {
        bytes.append(number: UInt32(truncatingIfNeeded: lists.count))
        for list in lists {
            var list = AccessLists.bytes(of: list)
            if list.count > Int(UInt16.max) { list = AccessLists.bytes(of: .unknown) }
            bytes.append(number: UInt16(truncatingIfNeeded: list.count))
            bytes.append(contentsOf: list)
        }
    }

    /// Reads them, with handles of the index on its way back.
    init(from reader: inout ByteReader, _ restored: inout RestoredAccessLists) throws(RestoreError) {
        let count = try reader.count(of: 2)
        lists.reserveCapacity(count)
        for _ in 0..<count {
            let length = Int(try reader.number(UInt16.self))
            lists.append(restored.list(Array(try reader.bytes(length))))
        }
    }

    /// The list that was written as the number that follows.
    func list(from reader: inout ByteReader) throws(RestoreError) -> AccessListID {
        let number = Int(try reader.number(UInt32.self))
        guard number <= lists.count else { throw .malformed("an access list") }
        return number > 0 ? lists[number - 1] : .none
    }
}
