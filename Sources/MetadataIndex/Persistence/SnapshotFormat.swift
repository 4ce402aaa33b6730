// How a saved index lies in its file.
// SPDX-License-Identifier: Apache-2.0

/// How a saved index lies in its file: a preamble, then frames, each with its kind, its length and a checksum. Numbers are
/// little-endian.
///
/// The frames come in this order: the header, the access lists and the combinations of owner, group, access list, mode
/// and device, the extended attributes and the facts about packages, both in as many frames as they take, the blocks of
/// 4,096 rows, the end. The columns of a block lie as they are in memory, so loading is little more than copying.
/// Derived data (children, tables, free slots) is not saved but made anew, so it cannot be wrong.
enum SnapshotFormat {
    /// `GATHERIX`.
    static let magic: UInt64 = 0x5849_5245_4854_4147
    static let version: UInt32 = 5
    static let preambleSize = 16
    static let frameSize = 16
    /// A frame of extended attributes or packages ends with the one that takes it beyond so many bytes.
    static let frameFull = 1 << 20
    /// The longest attachment.
    static let largestAttachment = 1 << 20
    /// All clocks are below. No index changes so often, so a higher one is damage, and one more cannot overflow.
    static let clockLimit: UInt64 = .max / 2

    static func checked(clock: UInt64) throws(RestoreError) -> UInt64 {
        guard clock < clockLimit else { throw .malformed("a clock") }
        return clock
    }

    enum Frame: UInt32 {
        case header = 1
        case common = 2
        case xattrs = 3
        case block = 4
        case end = 5
        case packages = 6
    }

    /// The seed of a frame's checksum: a frame in another's place is found out.
    static func seed(_ frame: Frame, _ ordinal: Int) -> UInt64 { UInt64(frame.rawValue) << 32 | UInt64(ordinal) }

    /// The columns of a block in their order, and the bytes of one value.
    static let columnWidths = [8, 8, 8, 8, 8, 4, 4, 4, 4, 1]
}
