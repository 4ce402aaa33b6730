// Reads a segment of the journal.
// SPDX-License-Identifier: Apache-2.0

/// Reads a segment of the journal, record by record. The bytes must outlive it and its records.
package struct JournalReader {
    package let header: JournalSegmentHeader
    private var reader: ByteReader
    private let byteCount: Int
    private var sequence: UInt64

    package init(_ bytes: UnsafeRawBufferPointer) throws(RestoreError) {
        reader = ByteReader(bytes)
        byteCount = bytes.count
        header = try JournalSegmentHeader(from: &reader)
        sequence = header.startSequence
    }

    /// Where the record begins that is next: up to here everything was whole.
    package var offset: Int { byteCount - reader.rest.count }

    /// The next record; nil at the end of the bytes. After an error nothing more can be read.
    package mutating func next() throws(RestoreError) -> JournalRecord? {
        if reader.rest.isEmpty { return nil }
        var ahead = reader
        let length = Int(try ahead.number(UInt32.self))
        guard try ahead.number(UInt32.self) == ~UInt32(truncatingIfNeeded: length) else { throw .checksum }
        let checksum = try ahead.number(UInt64.self)
        let payload = try ahead.bytes(length)
        guard Checksum.of(payload, seed: JournalFormat.seed(header)) == checksum else { throw .checksum }
        var record = ByteReader(payload)
        guard let kind = JournalRecord.Kind(rawValue: try record.number(UInt32.self)) else {
            throw .malformed("a kind of record")
        }
        let found = JournalRecord(
            kind: kind, sequence: try record.number(UInt64.self), epoch: try record.number(UInt64.self),
            clock: try record.number(UInt64.self), body: record.rest)
        // Each change moves the clock by one; other records leave it.
        let step: UInt64 = kind == .floor || kind == .ended ? 0 : 1
        guard found.sequence == sequence &+ step else { throw .malformed("a sequence") }
        sequence = found.sequence
        reader = ahead
        return found
    }
}
