// Owner, group, mode and device, and extended attributes, as bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension CommonAttributes {
    /// The bytes that one takes.
    static let codeSize = 8 + 4 + 4 + 2 + 4

    /// Appends the combination: device, owner, group, mode, and the number of its access list.
    func append(to bytes: inout [UInt8], _ lists: inout SnapshotAccessLists) {
        bytes.append(number: device)
        bytes.append(number: owner)
        bytes.append(number: group)
        bytes.append(number: mode)
        bytes.append(number: lists.number(of: accessList))
    }

    init(from reader: inout ByteReader, _ lists: SnapshotAccessLists) throws(RestoreError) {
        device = try reader.number(UInt64.self)
        owner = try reader.number(UInt32.self)
        group = try reader.number(UInt32.self)
        mode = try reader.number(UInt16.self)
        accessList = try lists.list(from: &reader)
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

    init(from reader: inout ByteReader) throws(RestoreError) {
        let length = Int(try reader.number(UInt16.self))
        guard let record = ExtraAttributes(try reader.bytes(length)) else { throw .malformed("extra attributes") }
        self = record
    }
}
