// Extended attributes by number: rows with equal attributes share one record.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension IndexSnapshot {
    /// The number of the row's record of extended attributes: the same for rows that have the same.
    package func xattrNumber(of row: Row) -> UInt32 { rows.block(row.number).xattrs(RowStore.slot(row.number)) }

    /// The record with a number that ``xattrNumber(of:)`` gave; none where they were not read.
    package func xattrs(numbered number: UInt32) -> ExtraAttributes { rows.xattrList[number] }

    /// Bytes held by the records, roughly.
    package var xattrByteCount: Int { rows.xattrList.byteCount }

    /// Keeps the rows whose extended attributes satisfy `matches`, which receives nil where they are unknown. `matches` is called
    /// once for each run of rows with the same record, so mostly once for each record.
    package func select(
        xattrMatching matches: (ExtraAttributes?) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        guard let column = block.header.pointee.xattrs else {
            if !bits.isEmpty, !matches(nil) { bits = BlockBitmap() }
            return
        }
        // Number and answer of the records that came last, by the last bits of their numbers.
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: IndexSnapshot.rememberedXattrs) { answers in
            answers.initialize(repeating: .max)
            bits.filter { place in
                let number = column[place]
                let at = Int(number) & (IndexSnapshot.rememberedXattrs - 1)
                let known = answers[at]
                if known >> 1 == UInt64(number) { return known & 1 != 0 }
                let answer = matches(number == XattrTable.unknown ? nil : rows.xattrList[number])
                answers[at] = UInt64(number) << 1 | (answer ? 1 : 0)
                return answer
            }
        }
    }

    private static let rememberedXattrs = 256
}
