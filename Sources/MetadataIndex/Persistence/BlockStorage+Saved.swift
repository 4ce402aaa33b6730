// A block of rows out of saved bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension BlockStorage {
    /// A block out of bytes that `SnapshotWriter` wrote. Each value is one that a row can have; how rows hang together is
    /// looked at by ``IndexRestorer``. Nothing says yet which rows are directories.
    convenience init(
        saved bytes: UnsafeRawBufferPointer, used: Int, commonCount: UInt32, xattrCount: UInt32
    ) throws(RestoreError) {
        var reader = ByteReader(bytes)
        guard Int(try reader.number(UInt32.self)) == used, used > 0 else { throw .malformed("the size of a block") }
        let nameBytes = Int(try reader.number(UInt32.self))
        guard nameBytes <= min(reader.rest.count, Block.largestArena) else { throw .truncated }
        let hasXattrs = try reader.number(UInt32.self)
        // Room to grow where slots are left; a full block is trimmed.
        let room = used == Block.capacity ? nameBytes / 64 : nameBytes / 4 + 1_024
        self.init(Block(arena: NameArena(capacity: min(nameBytes + room, Block.largestArena))))
        block.header.pointee.used = used

        let live = try reader.bytes(Block.words * 8)
        UnsafeMutableRawPointer(block.isLive).copyMemory(
            from: live.baseAddress.unsafelyUnwrapped, byteCount: live.count)
        var count = 0
        for word in 0..<Block.words {
            let valid: UInt64 =
                used >= (word + 1) * 64 ? .max : used <= word * 64 ? 0 : (1 << UInt64(used - word * 64)) - 1
            guard block.isLive[word] & ~valid == 0 else { throw .malformed("a live row without a slot") }
            count += block.isLive[word].nonzeroBitCount
        }
        block.header.pointee.live = count
        try BlockStorage.fill(block.size, used, from: &reader)
        try BlockStorage.fill(block.created, used, from: &reader)
        try BlockStorage.fill(block.modified, used, from: &reader)
        try BlockStorage.fill(block.changed, used, from: &reader)
        try BlockStorage.fill(block.inode, used, from: &reader)
        try BlockStorage.fill(block.parent, used, from: &reader)
        try BlockStorage.fill(block.common, used, from: &reader)
        try BlockStorage.fill(block.links, used, from: &reader)
        try BlockStorage.fill(block.generation, used, from: &reader)
        try BlockStorage.fill(block.kind, used, from: &reader)
        guard BlockStorage.largest(block.common, used) < commonCount else { throw .malformed("an owner") }
        guard BlockStorage.largest(block.kind, used) < UInt8(FileKind.allCases.count) else {
            throw .malformed("a kind")
        }
        if hasXattrs == 1 {
            let xattrs = UnsafeMutablePointer<UInt32>.allocate(capacity: Block.capacity)
            xattrs.initialize(repeating: XattrTable.unknown, count: Block.capacity)
            block.header.pointee.xattrs = xattrs
            try BlockStorage.fill(xattrs, used, from: &reader)
            guard BlockStorage.largest(xattrs, used) < xattrCount else { throw .malformed("extras") }
        } else if hasXattrs != 0 {
            throw .malformed("a block")
        }
        try readNames(used, nameBytes, &reader)
        try reader.end()
    }

    private func readNames(_ used: Int, _ total: Int, _ reader: inout ByteReader) throws(RestoreError) {
        let lengths = try reader.bytes(used)
        let names = try reader.bytes(total)
        if let base = names.baseAddress, total > 0 {
            block.header.pointee.names.copyMemory(from: base, byteCount: total)
        }
        var bad = false
        func isBad(_ names: UnsafeRawBufferPointer) -> Bool {
            var bad = false
            for byte in names { bad = bad || byte == 0 || byte == UInt8(ascii: "/") }
            return bad
        }
        // The length of a long name stands between the names, and may have any bytes.
        let hasLong = lengths.contains(UInt8(Block.longName))
        if !hasLong { bad = isBad(names) }
        var end = 0
        for slot in 0..<used {
            var length = Int(lengths[slot])
            if length == Block.longName {
                guard total - end >= 2 else { throw .malformed("the length of a name") }
                length = Int(UInt16(littleEndian: names.loadUnaligned(fromByteOffset: end, as: UInt16.self)))
                guard length >= Block.longName, length <= FileNameLimits.mostBytes else {
                    throw .malformed("the length of a name")
                }
                end += 2
            }
            guard length <= total - end else { throw .malformed("the length of a name") }
            if hasLong { bad = bad || isBad(UnsafeRawBufferPointer(rebasing: names[end..<end + length])) }
            block.name[slot] = Block.packed(end, length)
            if !block.isLive(slot) {
                bad = bad || length > 0
            } else if length > 0, length <= 2, names[end] == UInt8(ascii: "."),
                names[end + length - 1] == UInt8(ascii: ".")
            {
                bad = true
            }
            block.mark(slot, UnsafeRawBufferPointer(rebasing: names[end..<end + length]))
            end += length
        }
        guard !bad, end == total else { throw .malformed("a name") }
        block.header.pointee.nameEnd = total
        block.header.pointee.liveNameBytes = total
        block.header.pointee.lastNamed = used - 1
    }

    private static func fill<T: FixedWidthInteger>(
        _ column: UnsafeMutablePointer<T>, _ count: Int, from reader: inout ByteReader
    ) throws(RestoreError) {
        switch try reader.number(UInt8.self) {
        case 0:
            let bytes = try reader.bytes(count * MemoryLayout<T>.size)
            UnsafeMutableRawPointer(column).copyMemory(
                from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        case 1: column.update(repeating: try reader.number(T.self), count: count)
        default: throw .malformed("a column")
        }
    }

    private static func largest<T: FixedWidthInteger>(_ column: UnsafeMutablePointer<T>, _ count: Int) -> T {
        var largest: T = 0
        for slot in 0..<count { largest = max(largest, column[slot]) }
        return largest
    }
}
