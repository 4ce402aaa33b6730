// How the journal of changes lies in its files.
// SPDX-License-Identifier: Apache-2.0

/// How the journal of changes lies in its files: segments, each a header and records one behind the other, each of
/// these with its length and a checksum. Numbers are little-endian. One journal serves all indexes, so its part on disk
/// is one moment for all.
package enum JournalFormat {
    /// `GATHERJN`.
    static let magic: UInt64 = 0x4E4A_5245_4854_4147
    static let version: UInt32 = 5
    static let headerSize = 64
    static let frameSize = 16
    /// Kind, sequence, epoch, clock.
    static let headSize = 4 + 8 + 8 + 8
    /// An index has as many slots as there ever were items at once: those that were saved, one more for each change
    /// that is told, and so many, at most, of items that came and went between two sets. A damaged number must not make
    /// us allocate without bound; an index that has had more slots is read anew.
    static let largestUnrecorded = 1 << 22
    /// A set of more changes is not written: to save the index anew is cheaper.
    static let largestSet = 131_072
    /// Nor is a record of more bytes.
    static let largestRecord = 128 << 20
    /// No segment and no sequence of the daemon comes so far: a larger one is damage, and counting on from it would
    /// overflow.
    package static let largestNumber: UInt64 = .max / 2

    static func seed(_ header: JournalSegmentHeader) -> UInt64 { header.run &+ header.number }

    /// The record's statement about a row.
    enum Presence {
        /// There was an occupant before.
        static let preImage: UInt8 = 1
        /// There is one after.
        static let current: UInt8 = 2
        /// It is the one from before, under the same name.
        static let sameName: UInt8 = 4
        /// It had conflict versions before.
        static let conflicts: UInt8 = 8
        static let all = preImage | current | sameName | conflicts
    }
}

/// The beginning of a segment of the journal.
package struct JournalSegmentHeader: Sendable, Hashable {
    /// Counts the segments.
    package var number: UInt64
    /// The incarnation of the daemon that writes it.
    package var run: UInt64
    /// The daemon's sequence before the first record.
    package var startSequence: UInt64
    /// Which start of the machine: records written before another one may have been lost.
    package var boot: BootIdentifier
    /// Whether the segment before leads up to here without a gap.
    package var isContinuation: Bool

    /// Sixteen bytes.
    package struct BootIdentifier: Sendable, Hashable {
        package var low: UInt64
        package var high: UInt64
        package init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }
    }

    package init(
        number: UInt64, run: UInt64, startSequence: UInt64, boot: BootIdentifier, isContinuation: Bool
    ) {
        self.number = number
        self.run = run
        self.startSequence = startSequence
        self.boot = boot
        self.isContinuation = isContinuation
    }

    /// The bytes of the header.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: JournalFormat.magic)
        bytes.append(number: JournalFormat.version)
        bytes.append(number: UInt32(isContinuation ? 1 : 0))
        for value in [number, run, startSequence, boot.low, boot.high] { bytes.append(number: value) }
        bytes.append(number: bytes.withUnsafeBytes { Checksum.of($0) })
        return bytes
    }

    init(from reader: inout ByteReader) throws(RestoreError) {
        let bytes = try reader.bytes(JournalFormat.headerSize)
        var reader = ByteReader(bytes)
        guard try reader.number(UInt64.self) == JournalFormat.magic else { throw .foreign }
        let version = try reader.number(UInt32.self)
        guard version == JournalFormat.version else { throw .version(version) }
        isContinuation = try reader.number(UInt32.self) & 1 == 1
        number = try reader.number(UInt64.self)
        run = try reader.number(UInt64.self)
        startSequence = try reader.number(UInt64.self)
        boot = BootIdentifier(low: try reader.number(UInt64.self), high: try reader.number(UInt64.self))
        let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<(JournalFormat.headerSize - 8)]))
        guard try reader.number(UInt64.self) == sum else { throw .checksum }
        guard max(number, startSequence) <= JournalFormat.largestNumber else { throw .malformed("a sequence") }
    }
}

/// One record of the journal. Its bytes are those of the reader that it comes from.
package struct JournalRecord {
    package enum Kind: UInt32, Sendable {
        /// Rows of an index changed: their states before and after.
        case changes = 1
        /// An index went on in a way that is not recorded.
        case unrecorded = 2
        /// A container was removed.
        case removed = 3
        /// No occupant of an index has a smaller generation from now on.
        case floor = 4
        /// The daemon ended, and this is the last record.
        case ended = 5
        /// The access to a container changed, with no change of a row; the note has the new state.
        case accessChanged = 6
    }

    package let kind: Kind
    /// The daemon's sequence after it.
    package let sequence: UInt64
    /// The index's epoch.
    package let epoch: UInt64
    /// The index's clock after it; of `floor` the generation.
    package let clock: UInt64
    let body: UnsafeRawBufferPointer
    /// Bytes of the rows or the note.
    package var byteCount: Int { body.count }

    /// The daemon's note in a record that has no rows; the reader's bytes are copied.
    package var note: [UInt8] { kind == .changes ? [] : Array(body) }
}
