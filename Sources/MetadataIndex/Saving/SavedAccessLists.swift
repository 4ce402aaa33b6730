// Access lists as bytes, each written once.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The access lists that a record of the journal or a saved index names, each written once: thousands of files and packages
/// may have one of 64 KiB.
struct SavedAccessLists {
    private var lists: [AccessListID] = []
    /// The bytes of those that were read, which become lists of this process with the first file that has them.
    private var saved: [[UInt8]] = []
    private var numbers: [AccessListID: UInt32] = [:]
    /// Whether there was no room for one that was read.
    private(set) var lacksSome = false

    /// Whether none was read.
    var isEmpty: Bool { saved.isEmpty }

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

    init(from reader: inout ByteReader) throws(SavedStateError) {
        let count = try reader.count(of: 2)
        saved.reserveCapacity(count)
        for _ in 0..<count {
            let length = Int(try reader.number(UInt16.self))
            saved.append(Array(try reader.bytes(length)))
        }
    }

    /// The list that was written as the number that follows, of a file of this owner.
    mutating func list(from reader: inout ByteReader, owner: UInt32) throws(SavedStateError) -> AccessListID {
        let number = Int(try reader.number(UInt32.self))
        guard number <= saved.count else { throw .malformed("an access list") }
        guard number > 0 else { return .none }
        let list = AccessLists.intern(saved[number - 1], owner: owner)
        if list == .unknown, saved[number - 1] != AccessLists.bytes(of: .unknown) { lacksSome = true }
        return list
    }
}
