// The counts of items and directories.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct ItemCountsTests {
    @Test func `Items and directories are counted as they come, change and go`() {
        var counts = ItemCounts()
        counts.add(isDirectory: true)
        counts.add(isDirectory: false)
        counts.add(isDirectory: false)
        #expect(counts.items == 3 && counts.directories == 1)
        counts.change(toDirectory: true)
        #expect(counts.items == 3 && counts.directories == 2)
        counts.change(toDirectory: false)
        counts.remove(isDirectory: true)
        #expect(counts.items == 2 && counts.directories == 0)
        counts.remove(items: 2, directories: 0)
        #expect(counts.items == 0)
    }

    @Test func `Rows of blocks are counted without the root`() throws {
        let rows = try RowStore.files(["a", "b"])
        let counts = ItemCounts(rows.blocks)
        #expect(counts.items == 2 && counts.directories == 0)
    }
}
