// Owner, group, mode and device, and extra attributes, as bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension CommonAttributes {
    /// The bytes that one takes at least.
    static let smallestCode = 8 + 4 + 4 + 2 + 2

    /// Appends the combination: device, owner, group, mode, and the bytes of its access list behind their number.
    func append(to bytes: inout [UInt8]) {
        bytes.append(number: device)
        bytes.append(number: owner)
        bytes.append(number: group)
        bytes.append(number: mode)
        var list = AccessLists.bytes(of: accessList)
        if list.count > Int(UInt16.max) { list = AccessLists.bytes(of: .unknown) }
        bytes.append(number: UInt16(truncatingIfNeeded: list.count))
        bytes.append(contentsOf: list)
    }

    init(from reader: inout ByteReader) throws(SavedStateError) {
        device = try reader.number(UInt64.self)
        owner = try reader.number(UInt32.self)
        group = try reader.number(UInt32.self)
        mode = try reader.number(UInt16.self)
        let length = Int(try reader.number(UInt16.self))
        accessList = AccessLists.intern(Array(try reader.bytes(length)))
    }
}

extension ExtraAttributes {
    /// The bytes that a record takes at least.
    static let smallestCode = 2

    /// Appends the record: its length and its bytes.
    func append(to bytes: inout [UInt8]) {
        bytes.append(number: UInt16(truncatingIfNeeded: self.bytes.count))
        bytes.append(contentsOf: self.bytes)
    }

    init(from reader: inout ByteReader) throws(SavedStateError) {
        let length = Int(try reader.number(UInt16.self))
        guard let record = ExtraAttributes(try reader.bytes(length)) else { throw .malformed("extra attributes") }
        self = record
    }
}
