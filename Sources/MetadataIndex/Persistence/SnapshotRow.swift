// The state of one row as the journal has it.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The state of one row as the journal has it, the numbers of its combination and extended attributes those of the record.
struct SnapshotRow {
    /// Bytes of its fixed part.
    static let size = 57

    var values: RowValues
    var generation: UInt32
    var parent: UInt32
    var xattrs: UInt32
    /// The facts about a package besides its values.
    var package: PackageFacts?

    init(from reader: inout ByteReader, _ lists: SnapshotAccessLists) throws(RestoreError) {
        let bytes = try reader.bytes(SnapshotRow.size)
        func number<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
            T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        guard let kind = FileKind(rawValue: bytes[56]) else { throw .malformed("a kind") }
        values = RowValues(
            size: number(0, Int64.self), created: number(8, Int64.self), modified: number(16, Int64.self),
            changed: number(24, Int64.self), inode: number(32, UInt64.self), common: number(48, UInt32.self),
            links: number(52, UInt32.self), kind: kind)
        generation = number(40, UInt32.self)
        parent = number(44, UInt32.self)
        xattrs = try reader.number(UInt32.self)
        if kind == .package { package = try PackageFacts(from: &reader, lists) }
    }
}
