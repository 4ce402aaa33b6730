// Owner, group, mode and device, and tag lists, as bytes.
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

/// Tag lists as bytes.
enum TagListCoding {
    /// The bytes that a list takes at least.
    static let smallestCode = 4

    static func append(_ tags: [String], to bytes: inout [UInt8]) {
        bytes.append(number: UInt32(tags.count))
        for tag in tags {
            bytes.append(number: UInt32(tag.utf8.count))
            bytes.append(contentsOf: tag.utf8)
        }
    }

    static func list(from reader: inout ByteReader) throws(SavedStateError) -> [String] {
        let count = try reader.count(of: 4)
        var tags: [String] = []
        tags.reserveCapacity(count)
        for _ in 0..<count {
            let length = Int(try reader.number(UInt32.self))
            guard let tag = String(validating: try reader.bytes(length), as: UTF8.self) else {
                throw .malformed("a tag that is not text")
            }
            tags.append(tag)
        }
        return tags
    }
}
