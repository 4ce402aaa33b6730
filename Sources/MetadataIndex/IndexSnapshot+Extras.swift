// Extended attributes by number: rows with equal attributes share one record.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension IndexSnapshot {
    /// The number of the row's record of extra attributes: the same for rows that have the same.
    package func extrasNumber(of row: Row) -> UInt32 { rows.block(row.number).extras(RowStore.slot(row.number)) }

    /// The record with a number that ``extrasNumber(of:)`` gave; none where they were not read.
    package func extras(numbered number: UInt32) -> ExtraAttributes { rows.extrasList[number] }

    /// Bytes held by the records, roughly.
    package var extrasByteCount: Int { rows.extrasList.byteCount }

    /// Keeps the rows whose extra attributes satisfy `matches`, which receives nil where they are unknown. `matches` is called
    /// once for each run of rows with the same record, so mostly once for each record.
    package func select(
        extrasMatching matches: (ExtraAttributes?) -> Bool, inBlock number: Int, among bits: inout BlockBitmap
    ) {
        let block = rows.blocks[number].block
        guard let column = block.header.pointee.extras else {
            if !bits.isEmpty, !matches(nil) { bits = BlockBitmap() }
            return
        }
        // Number and answer of the records that came last, by the last bits of their numbers.
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: IndexSnapshot.rememberedExtras) { answers in
            answers.initialize(repeating: .max)
            bits.filter { place in
                let number = column[place]
                let at = Int(number) & (IndexSnapshot.rememberedExtras - 1)
                let known = answers[at]
                if known >> 1 == UInt64(number) { return known & 1 != 0 }
                let answer = matches(number == ExtrasTable.unknown ? nil : rows.extrasList[number])
                answers[at] = UInt64(number) << 1 | (answer ? 1 : 0)
                return answer
            }
        }
    }

    private static let rememberedExtras = 256
}
