// Saving and restoring in memory, and damage that checksums do not show.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

extension MetadataIndex {
    /// The bytes of the index, saved.
    func saved(attachment: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        SnapshotWriter(image(), attachment: attachment).write { bytes.append(contentsOf: $0) }
        return bytes
    }
}

extension JournalEncoder {
    /// Appends a set, and expects that it is written or not.
    mutating func add(_ set: ChangeSet, of index: MetadataIndex, sequence: UInt64, isWritten expected: Bool = true) {
        let isWritten = append(set, of: index, sequence: sequence)
        #expect(isWritten == expected)
    }
}

enum Saved {
    /// The index of saved bytes, and of journal segments after it.
    static func index(_ bytes: [UInt8], journal: [[UInt8]] = [], mayHaveLost: Bool = false) throws -> MetadataIndex {
        let restorer = try SnapshotReader(bytes).restorer()
        restorer.mayHaveLost = mayHaveLost
        for segment in journal { try apply(segment, to: restorer) }
        return try restorer.finish()
    }

    static func apply(_ segment: [UInt8], to restorer: IndexRestorer) throws {
        try segment.withUnsafeBytes { bytes in
            var reader = try JournalReader(bytes)
            while let record = try reader.next() { try restorer.apply(record) }
        }
    }

    static func number<T: FixedWidthInteger>(_ bytes: [UInt8], _ offset: Int, _ type: T.Type) -> T {
        bytes.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }

    /// Makes the checksums of a snapshot fit what they stand for, as somebody would who wants to be believed.
    static func reseal(snapshot bytes: inout [UInt8]) {
        var offset = SnapshotFormat.preambleSize
        var ordinal = 0
        while offset + SnapshotFormat.frameSize <= bytes.count {
            let kind = number(bytes, offset, UInt32.self)
            let length = Int(number(bytes, offset + 4, UInt32.self))
            let start = offset + SnapshotFormat.frameSize
            guard length <= bytes.count - start else { return }
            let seed = UInt64(kind) << 32 | UInt64(ordinal)
            store(
                bytes[start..<start + length].withUnsafeBytes { Checksum.of($0, seed: seed) }, at: offset + 8,
                in: &bytes)
            offset = start + length
            ordinal += 1
        }
    }

    /// The same for a segment of the journal.
    static func reseal(journal bytes: inout [UInt8]) {
        guard bytes.count >= JournalFormat.headerSize else { return }
        let headerEnd = JournalFormat.headerSize - 8
        store(bytes[..<headerEnd].withUnsafeBytes { Checksum.of($0) }, at: headerEnd, in: &bytes)
        let seed = number(bytes, 24, UInt64.self) &+ number(bytes, 16, UInt64.self)
        var offset = JournalFormat.headerSize
        while offset + JournalFormat.frameSize <= bytes.count {
            let length = Int(number(bytes, offset, UInt32.self))
            let start = offset + JournalFormat.frameSize
            guard length <= bytes.count - start else { return }
            store(
                bytes[start..<start + length].withUnsafeBytes { Checksum.of($0, seed: seed) }, at: offset + 8,
                in: &bytes)
            offset = start + length
        }
    }

    private static func store(_ value: UInt64, at offset: Int, in bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
    }

    static let header = JournalSegmentHeader(
        number: 7, run: 99, startSequence: 100, boot: .init(low: 1, high: 2), isContinuation: false)
}
