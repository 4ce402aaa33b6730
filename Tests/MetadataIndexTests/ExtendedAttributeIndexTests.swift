// Extended attributes of many rows: found again, let go, saved, and not copied as a whole.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import Testing

@testable import MetadataIndex

@Suite struct ExtendedAttributeIndexTests {
    let index = MetadataIndex(root: .sample(.directory))

    /// More records than one piece, one segment and one frame have, most of them with one row each.
    private func fill(_ count: Int) throws -> [Row] {
        let rows = try index.insertFiles((0..<count).map { "f\($0)" }, below: .root)
        for (number, row) in rows.enumerated() { try index.setXattrs(row, ExtendedAttributeIndexTests.record(number)) }
        return rows
    }

    private static func record(_ number: Int) -> ExtraAttributes? {
        if number % 7 == 0 { return number % 2 == 0 ? nil : ExtraAttributes.none }
        let comment = "comment \(number % 5 == 0 ? 0 : number) " + String(repeating: "x", count: number % 300)
        return ExtraAttributes([(Array("xdg.comment".utf8), Array(comment.utf8))])
    }

    @Test func `Each row has its own, in a snapshot too`() throws {
        let rows = try fill(20_000)
        let snapshot = index.snapshot()
        for (number, row) in rows.enumerated() {
            try index.setXattrs(row, ExtendedAttributeIndexTests.record(number + 1))
        }
        #expect(index.checkInvariants() == nil)
        for (number, row) in rows.enumerated() {
            try #require(snapshot.xattrs(of: row) == ExtendedAttributeIndexTests.record(number))
            try #require(index.xattrs(of: row) == ExtendedAttributeIndexTests.record(number + 1))
            try #require(
                snapshot.xattrs(numbered: snapshot.xattrNumber(of: row)) == ExtendedAttributeIndexTests.record(number)
                    ?? .none)
        }
        let bytes = index.xattrByteCount
        #expect(bytes > 20_000 * 100 && index.byteCount > bytes)
        for row in rows { try index.setXattrs(row, ExtraAttributes.none) }
        #expect(index.xattrByteCount < bytes / 2)
    }

    @Test func `Records in several frames are read again`() throws {
        let rows = try fill(20_000)
        var bytes: [UInt8] = []
        SnapshotWriter(index.image()).write { bytes.append(contentsOf: $0) }
        #expect(bytes.count > 2 * SnapshotFormat.frameFull)
        let again = try SnapshotReader(bytes).restorer().finish()
        #expect(again.checkInvariants() == nil)
        for row in rows { try #require(again.xattrs(of: row) == index.xattrs(of: row)) }
        // A record that is in them is found again.
        let count = again.storage.rows.xattrList.count
        try again.setXattrs(rows[1], index.xattrs(of: rows[2]))
        #expect(again.storage.rows.xattrList.count == count && again.checkInvariants() == nil)
    }

    @Test func `Extended attributes that there is no room for are not known, and those already there have room`() throws
    {
        let rows = try index.insertFiles((0..<100).map { "f\($0)" }, below: .root)
        func record(_ number: Int) -> ExtraAttributes {
            ExtraAttributes([(Array("xdg.comment".utf8), [UInt8](repeating: UInt8(number), count: 1_000))])
        }
        for (number, row) in rows[..<10].enumerated() { try index.setXattrs(row, record(number)) }
        #expect(!index.lacksXattrs)
        index.xattrLimit = 20_000
        for (number, row) in rows[10...].enumerated() { try index.setXattrs(row, record(number + 10)) }
        let known = rows.filter { index.xattrs(of: $0) != nil }
        #expect(index.lacksXattrs && (18...20).contains(known.count), "\(known.count)")
        #expect(try index.setXattrs(rows[99], record(3)))
        #expect(index.xattrs(of: rows[99]) == record(3))
        // One that was known is not any more, which makes room.
        #expect(try index.setXattrs(rows[0], record(200)))
        #expect(index.xattrs(of: rows[0]) == nil)
        #expect(try index.setXattrs(rows[50], record(201)))
        #expect(index.xattrs(of: rows[50]) == record(201) && index.checkInvariants() == nil)
        try index.setXattrs(rows[51], ExtraAttributes.none)
        #expect(index.xattrs(of: rows[51]) == ExtraAttributes.none)
    }

    @Test func `A scan asks for each record, and for rows of which nothing is known`() throws {
        let rows = try fill(9_000)
        let snapshot = index.snapshot()
        var found: Set<Row> = []
        for block in 0..<snapshot.blockCount {
            var bits = snapshot.liveRows(inBlock: block)
            snapshot.select(
                xattrMatching: {
                    $0 == nil || $0 == ExtendedAttributeIndexTests.record(5)
                        || $0 == ExtendedAttributeIndexTests.record(8_999)
                },
                inBlock: block, among: &bits)
            bits.forEach { found.insert(IndexSnapshot.row(block: block, place: $0)) }
        }
        let expected = rows.enumerated().filter { number, _ in
            let record = ExtendedAttributeIndexTests.record(number)
            return record == nil || record == ExtendedAttributeIndexTests.record(5)
                || record == ExtendedAttributeIndexTests.record(8_999)
        }
        #expect(found.subtracting([.root]) == Set(expected.map(\.element)))
    }
}
