// The extended attributes that rows have, by number.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The extended attributes that rows have, by the numbers that stand in their column. The first two stand for unknown and none.
///
/// In pieces: of a list that a snapshot shares, a change copies one of them and the list of pieces, not a million records.
struct XattrList: Sendable {
    private static let pieceBits = 8
    private static let pieceSize = 1 << pieceBits

    private var pieces: [[ExtraAttributes]] = []
    private(set) var count = 0
    /// Roughly the bytes of the records.
    private(set) var recordBytes = 0

    init() {
        append(.none)
        append(.none)
    }

    subscript(number: UInt32) -> ExtraAttributes {
        get { pieces[Int(number) >> XattrList.pieceBits][Int(number) & (XattrList.pieceSize - 1)] }
        set {
            let (piece, place) = (Int(number) >> XattrList.pieceBits, Int(number) & (XattrList.pieceSize - 1))
            recordBytes += XattrList.cost(newValue) - XattrList.cost(pieces[piece][place])
            pieces[piece][place] = newValue
        }
    }

    mutating func append(_ xattrs: ExtraAttributes) {
        if count == pieces.count << XattrList.pieceBits {
            pieces.append([])
            if pieces.count > 1 { pieces[pieces.count - 1].reserveCapacity(XattrList.pieceSize) }
        }
        pieces[pieces.count - 1].append(xattrs)
        count += 1
        recordBytes += XattrList.cost(xattrs)
    }

    /// The approximate memory of a record beside its place in a list.
    static func cost(_ xattrs: ExtraAttributes) -> Int { xattrs.isEmpty ? 0 : 32 + xattrs.bytes.count }

    /// Whether there are any but those that stand for unknown and none.
    var holdsAny: Bool { count > 2 }

    /// Bytes held, roughly.
    var byteCount: Int { pieces.capacity * 8 + count * MemoryLayout<ExtraAttributes>.stride + recordBytes }
}
