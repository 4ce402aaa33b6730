// Reads a saved index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization

/// Reads a saved index. Whatever the bytes are, it ends with an index or an error: nothing in them is believed.
package struct SnapshotReader<Source: SnapshotSource> {
    private struct Place {
        var offset: Int
        var length: Int
        var checksum: UInt64
    }

    private let source: Source
    private var blocks: [Place] = []
    private let common: [CommonAttributes]
    /// The access lists that are named there and in packages.
    private let lists: RestoredAccessLists
    private let xattrList: XattrList
    private let packages: SparseColumn<PackageFacts>
    /// How many frames come before the first block.
    private let framesBeforeBlocks: Int
    private let slotCount: UInt32
    private let generationFloor: UInt32
    private let isDetached: Bool
    /// The index's epoch.
    package let epoch: UInt64
    /// The index's clock when it was saved.
    package let clock: UInt64
    /// The attachment saved with it.
    package let attachment: [UInt8]

    /// Reads all but the rows.
    package init(_ source: Source) throws(RestoreError) {
        self.source = source
        let preamble = try SnapshotReader.bytes(of: source, 0, SnapshotFormat.preambleSize)
        try SnapshotReader.checkPreamble(preamble)
        var offset = SnapshotFormat.preambleSize
        var ordinal = 0
        func place(_ kind: SnapshotFormat.Frame) throws(RestoreError) -> Place? {
            let head = try SnapshotReader.bytes(of: source, offset, SnapshotFormat.frameSize)
            var (found, length, checksum): (UInt32, Int, UInt64) = (0, 0, 0)
            try read(head) { (reader) throws(RestoreError) in
                found = try reader.number(UInt32.self)
                length = Int(try reader.number(UInt32.self))
                checksum = try reader.number(UInt64.self)
            }
            guard found == kind.rawValue else { return nil }
            let start = offset + SnapshotFormat.frameSize
            guard length <= source.byteCount - start else { throw .truncated }
            offset = start + length
            ordinal += 1
            return Place(offset: start, length: length, checksum: checksum)
        }
        func payloadIfNext(_ kind: SnapshotFormat.Frame) throws(RestoreError) -> [UInt8]? {
            let seed = SnapshotFormat.seed(kind, ordinal)
            guard let place = try place(kind) else { return nil }
            let bytes = try SnapshotReader.bytes(of: source, place.offset, place.length)
            guard bytes.withUnsafeBytes({ Checksum.of($0, seed: seed) }) == place.checksum else { throw .checksum }
            return bytes
        }
        func payload(_ kind: SnapshotFormat.Frame) throws(RestoreError) -> [UInt8] {
            guard let bytes = try payloadIfNext(kind) else { throw .malformed("the order of its parts") }
            return bytes
        }

        var header = (epoch: UInt64(0), clock: UInt64(0), slots: UInt32(0), floor: UInt32(0), flags: UInt32(0))
        var attachment: [UInt8] = []
        try read(try payload(.header)) { (reader) throws(RestoreError) in
            header.epoch = try reader.number(UInt64.self)
            header.clock = try reader.number(UInt64.self)
            header.slots = try reader.number(UInt32.self)
            header.floor = try reader.number(UInt32.self)
            header.flags = try reader.number(UInt32.self)
            attachment = Array(try reader.bytes(try reader.count(of: 1)))
            try reader.end()
        }
        guard header.flags <= 1, header.slots >= 1, header.slots < Row.none, header.clock < SnapshotFormat.clockLimit
        else { throw .malformed("the header") }
        (epoch, clock, slotCount, generationFloor) = (header.epoch, header.clock, header.slots, header.floor)
        isDetached = header.flags == 1
        self.attachment = attachment

        var common: [CommonAttributes] = []
        var lists = SnapshotAccessLists()
        var restored = RestoredAccessLists()
        try read(try payload(.common)) { (reader) throws(RestoreError) in
            lists = try SnapshotAccessLists(from: &reader, &restored)
            let count = try reader.count(of: CommonAttributes.codeSize)
            common.reserveCapacity(count)
            for _ in 0..<count { common.append(try CommonAttributes(from: &reader, lists)) }
            try reader.end()
        }
        self.common = common
        self.lists = restored
        var xattrList = XattrList()
        while let bytes = try payloadIfNext(.xattrs) {
            try read(bytes) { (reader) throws(RestoreError) in
                while !reader.rest.isEmpty { xattrList.append(try ExtraAttributes(from: &reader)) }
            }
        }
        guard xattrList.count < UInt32.max else { throw .malformed("extra attributes") }
        self.xattrList = xattrList
        var packages = SparseColumn<PackageFacts>()
        while let bytes = try payloadIfNext(.packages) {
            try read(bytes) { (reader) throws(RestoreError) in
                while !reader.rest.isEmpty {
                    let row = try reader.number(UInt32.self)
                    guard row < header.slots, packages[row] == nil else { throw .malformed("a package") }
                    packages[row] = try PackageFacts(from: &reader, lists)
                }
            }
        }
        self.packages = packages
        framesBeforeBlocks = ordinal
        while let block = try place(.block) { blocks.append(block) }
        let blockCount = blocks.count
        try read(try payload(.end)) { (reader) throws(RestoreError) in
            guard try reader.number(UInt32.self) == UInt32(clamping: blockCount) else {
                throw .malformed("the number of blocks")
            }
            try reader.end()
        }
        guard offset == source.byteCount else { throw .malformed("bytes after the end") }
        guard blockCount == (Int(slotCount) + Block.capacity - 1) / Block.capacity else {
            throw .malformed("the number of blocks")
        }
    }

    /// Reads the rows, as a restorer that becomes an index again once the journal's changes have been applied.
    package func restorer(concurrently: Concurrently = inOrder) throws(RestoreError) -> IndexRestorer {
        let loaded = Mutex<(blocks: [BlockStorage?], error: RestoreError?)>(
            (Array(repeating: nil, count: blocks.count), nil))
        let (source, places, slotCount) = (source, blocks, Int(slotCount))
        let framesBeforeBlocks = framesBeforeBlocks
        let (commonCount, xattrCount) = (UInt32(common.count), UInt32(xattrList.count))
        concurrently(places.count) { number in
            do throws(RestoreError) {
                let place = places[number]
                let seed = SnapshotFormat.seed(.block, framesBeforeBlocks + number)
                let block = try SnapshotReader.withBytes(of: source, place.offset, place.length) {
                    (bytes) throws(RestoreError) in
                    guard Checksum.of(bytes, seed: seed) == place.checksum else { throw .checksum }
                    return try BlockStorage(
                        saved: bytes, used: min(Block.capacity, slotCount - number * Block.capacity),
                        commonCount: commonCount, xattrCount: xattrCount)
                }
                loaded.withLock { $0.blocks[number] = block }
            } catch {
                loaded.withLock { $0.error = $0.error ?? error }
            }
        }
        let result = loaded.withLock { $0 }
        if let error = result.error { throw error }
        var rows = RowStore()
        rows.blocks = result.blocks.compactMap { $0 }
        rows.common = common
        rows.xattrList = xattrList
        rows.packages = packages
        guard rows.blocks.count == blocks.count else { throw .malformed("the blocks") }
        return IndexRestorer(
            epoch: epoch, clock: clock, rows: rows, slotCount: self.slotCount, generationFloor: generationFloor,
            isDetached: isDetached, lists: lists)
    }

    private static func checkPreamble(_ bytes: [UInt8]) throws(RestoreError) {
        try read(bytes) { (reader) throws(RestoreError) in
            guard try reader.number(UInt64.self) == SnapshotFormat.magic else { throw .foreign }
            let version = try reader.number(UInt32.self)
            guard version == SnapshotFormat.version else { throw .version(version) }
            guard try reader.number(UInt32.self) == 0 else { throw .malformed("the header") }
        }
    }

    private static func bytes(of source: Source, _ offset: Int, _ count: Int) throws(RestoreError) -> [UInt8] {
        guard count <= source.byteCount - offset else { throw .truncated }
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(RestoreError) in
            try source.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes
    }

    /// Memory that is not touched before it is read into.
    private static func withBytes<R>(
        of source: Source, _ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) throws(RestoreError) -> R
    ) throws(RestoreError) -> R {
        guard count <= source.byteCount - offset else { throw .truncated }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        try source.read(at: offset, into: buffer)
        return try body(UnsafeRawBufferPointer(buffer))
    }
}

/// Reads an array to its end.
private func read(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(RestoreError) -> Void
) throws(RestoreError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(RestoreError) in
        var reader = ByteReader(UnsafeRawBufferPointer(buffer))
        try body(&reader)
    }
}
