// Writes an index as bytes.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Writes the saved state of an index as bytes, some 300 KiB at a time. On any thread.
package struct SnapshotWriter {
    /// Bytes of an attachment.
    package static let largestAttachment = SnapshotFormat.largestAttachment

    private let image: IndexImage
    private let attachment: [UInt8]

    /// - Parameter attachment: bytes that the caller wants to find with it, ``largestAttachment`` at most.
    package init(_ image: IndexImage, attachment: [UInt8] = []) {
        precondition(attachment.count <= SnapshotWriter.largestAttachment)
        self.image = image
        self.attachment = attachment
    }

    /// Writes everything, in order. Complexity: O(items).
    package func write<E: Error>(_ write: (UnsafeRawBufferPointer) throws(E) -> Void) throws(E) {
        var bytes: [UInt8] = []
        bytes.append(number: SnapshotFormat.magic)
        bytes.append(number: SnapshotFormat.version)
        bytes.append(number: UInt32(0))
        try SnapshotWriter.pass(bytes, to: write)

        var ordinal = 0
        func frame(_ kind: SnapshotFormat.Frame, _ payload: [UInt8]) throws(E) {
            var head: [UInt8] = []
            head.append(number: kind.rawValue)
            head.append(number: UInt32(payload.count))
            let seed = SnapshotFormat.seed(kind, ordinal)
            head.append(number: payload.withUnsafeBytes { Checksum.of($0, seed: seed) })
            ordinal += 1
            try SnapshotWriter.pass(head, to: write)
            try SnapshotWriter.pass(payload, to: write)
        }

        bytes.removeAll()
        bytes.append(number: image.epoch)
        bytes.append(number: image.clock)
        bytes.append(number: image.slotCount)
        bytes.append(number: image.generationFloor)
        bytes.append(number: UInt32(image.isDetached ? 1 : 0))
        bytes.append(number: UInt32(attachment.count))
        bytes += attachment
        try frame(.header, bytes)

        var lists = SnapshotAccessLists()
        // Combinations that no row uses any more are not written, and neither are their lists.
        var common: [CommonAttributes] = []
        var numbers: [UInt32] = []
        for (attributes, isUsed) in zip(image.rows.common, image.rows.usedAttributes()) {
            numbers.append(isUsed ? UInt32(common.count) : 0)
            if isUsed { common.append(attributes) }
        }
        for attributes in common { _ = lists.number(of: attributes.accessList) }
        image.rows.packages.forEach { _, package in
            package.accesses?.forEach { _ = lists.number(of: $0.accessList) }
        }
        bytes.removeAll()
        lists.append(to: &bytes)
        bytes.append(number: UInt32(common.count))
        for attributes in common { attributes.append(to: &bytes, &lists) }
        try frame(.common, bytes)

        let records = image.rows.xattrList
        bytes.removeAll()
        for number in 2..<UInt32(records.count) {
            records[number].append(to: &bytes)
            guard bytes.count > SnapshotFormat.frameFull else { continue }
            try frame(.xattrs, bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try frame(.xattrs, bytes) }

        bytes.removeAll()
        try image.rows.packages.forEach { (row, package) throws(E) in
            bytes.append(number: row)
            package.append(to: &bytes, &lists)
            guard bytes.count > SnapshotFormat.frameFull else { return }
            try frame(.packages, bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try frame(.packages, bytes) }

        for storage in image.rows.blocks {
            bytes.removeAll(keepingCapacity: true)
            SnapshotWriter.append(storage.block, numbers, to: &bytes)
            withExtendedLifetime(storage) {}
            try frame(.block, bytes)
        }

        bytes.removeAll()
        bytes.append(number: UInt32(image.rows.blocks.count))
        try frame(.end, bytes)
    }

    private static func pass<E: Error>(
        _ bytes: [UInt8], to write: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(E) in try write(UnsafeRawBufferPointer(buffer)) }
    }

    /// A block: how many slots are in use, which of them live, the columns, with other numbers for combinations, the extended attributes where some are known, the lengths of
    /// the names and the names.
    private static func append(_ block: Block, _ numbers: [UInt32], to bytes: inout [UInt8]) {
        let header = block.header.pointee
        let used = header.used
        bytes.append(number: UInt32(used))
        bytes.append(number: UInt32(header.liveNameBytes))
        bytes.append(number: UInt32(header.xattrs == nil ? 0 : 1))
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: block.isLive, count: Block.words * 8))
        append(block.size, used, to: &bytes)
        append(block.created, used, to: &bytes)
        append(block.modified, used, to: &bytes)
        append(block.changed, used, to: &bytes)
        append(block.inode, used, to: &bytes)
        append(block.parent, used, to: &bytes)
        var common = (0..<used).map { numbers[Int(block.common[$0])] }
        common.withUnsafeMutableBufferPointer { column in
            if let start = column.baseAddress { append(start, used, to: &bytes) }
        }
        append(block.links, used, to: &bytes)
        append(block.generation, used, to: &bytes)
        append(block.kind, used, to: &bytes)
        if let xattrs = header.xattrs { append(xattrs, used, to: &bytes) }
        for slot in 0..<used {
            bytes.append(block.isLive(slot) ? UInt8(truncatingIfNeeded: block.name[slot]) : 0)
        }
        if header.namesInOrder, header.liveNameBytes == header.nameEnd {
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: header.names, count: header.nameEnd))
        } else {
            for slot in 0..<used where block.isLive(slot) { bytes.append(contentsOf: block.storedName(slot)) }
        }
    }

    /// A column: 0 and its values, or 1 and the value that all rows have.
    private static func append<T: FixedWidthInteger>(
        _ column: UnsafeMutablePointer<T>, _ count: Int, to bytes: inout [UInt8]
    ) {
        let first = column.pointee
        var differs: T = 0
        for slot in 0..<count { differs |= column[slot] ^ first }
        bytes.append(differs == 0 ? 1 : 0)
        bytes.append(
            contentsOf: UnsafeRawBufferPointer(start: column, count: (differs == 0 ? 1 : count) * MemoryLayout<T>.size))
    }
}
