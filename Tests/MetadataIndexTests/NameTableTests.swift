// The table of names, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct NameTableTests {
    private static func find(_ name: String, in table: borrowing NameTable, _ rows: RowStore) -> UInt32? {
        Array(name.utf8).withUnsafeBytes {
            table.find(0, $0, table.hasher.hash(parent: 0, name: $0), rows)
        }
    }

    @Test(arguments: [1, 5_000]) func `Rows are found by directory and name until they are taken away`(count: Int)
        throws
    {
        let names = (0..<count).map { "f\($0)" }
        let rows = try RowStore.files(names)
        var table = NameTable(key: 7)
        for row in 1...UInt32(count) { table.file(row, table.hash(row, rows), rows) }
        #expect(table.count == count)
        for (place, name) in names.enumerated() { #expect(Self.find(name, in: table, rows) == UInt32(place + 1)) }
        #expect(Self.find("g", in: table, rows) == nil)
        "f0".utf8CString.withUnsafeBytes { bytes in
            let name = UnsafeRawBufferPointer(rebasing: bytes[0..<2])
            #expect(table.find(1, name, table.hasher.hash(parent: 1, name: name), rows) == nil)
        }
        table.unfile(1, table.hash(1, rows))
        #expect(Self.find("f0", in: table, rows) == nil && table.count == count - 1)
        var gone = RowBits(blocks: rows.blocks.count)
        for row in 2...UInt32(max(2, count)) { gone.insert(row) }
        table.unfileAll(gone)
        #expect(table.count == 0)
    }
}
