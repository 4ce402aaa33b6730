// Where an item lies, worked out once for all tests that ask.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// Where one item lies at one moment: its path from the container's root, made when a test first asks for it. Everything
/// that follows from the place is read out of the path. One buffer serves all items, one after the other.
struct ItemPlace {
    private(set) var path: [UInt8] = []
    private var isKnown = false

    /// Goes on to another item.
    mutating func forget() { isKnown = false }

    /// Tells the path, in two parts, instead of having it made.
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
