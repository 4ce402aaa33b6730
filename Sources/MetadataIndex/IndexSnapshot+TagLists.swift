// Tag lists by their numbers, for who counts them.
// SPDX-License-Identifier: Apache-2.0

extension IndexSnapshot {
    /// The number of a live row's tag list in this snapshot; rows with equal lists have equal numbers.
    package func tagList(of row: Row) -> UInt32 { rows.block(row.number).tags(RowStore.slot(row.number)) }

    /// The tags of the list with a number that ``tagList(of:)`` gave; none where they were not read.
    package func tags(ofList number: UInt32) -> [String] { rows.tagLists[Int(number)] }
}
