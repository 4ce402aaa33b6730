// The path of an item, built once for all tests.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// The path of one item from the container's root, built when a test first asks for it. Every attribute that follows
/// from the place is read from the path. One buffer serves all items in turn.
struct ItemPlace {
    private(set) var path: [UInt8] = []
    private var isKnown = false

    /// Prepares for another item.
    mutating func forget() { isKnown = false }

    /// Sets the path from two parts, in the place of building it.
    mutating func set(_ directory: [UInt8], _ rest: ArraySlice<UInt8>) {
        path.removeAll(keepingCapacity: true)
        path.append(contentsOf: directory)
        path.append(contentsOf: rest)
        isKnown = true
    }

    mutating func know(_ row: Row, _ reader: some RowReader) {
        if isKnown { return }
        path.removeAll(keepingCapacity: true)
        reader.appendPath(of: row, to: &path)
        isKnown = true
    }
}
