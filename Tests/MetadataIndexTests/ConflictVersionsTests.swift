// Conflict versions, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

/// Rows 1 and 2 are files. Rows 3 and 4 are versions of the first, 5 is a version of one of these, and 6 one of no file.
@Suite struct ConflictVersionsTests {
    private static let mark = ".sync-conflict-20261125-140509-ABCDEFG"
    private static let later = ".sync-conflict-20261126-140509-ABCDEFG"

    /// The versions, with all that they need. The table of names cannot be copied.
    private struct Fixture: ~Copyable {
        var versions = ConflictVersions()
        var rows: RowStore
        var names = NameTable(key: 3)
        var packages = PackageIndex()
        var recorder = ChangeRecorder()

        init() throws {
            rows = try RowStore.files([
                "a.txt", "b", "a\(mark).txt", "a\(later).txt", "a\(mark)\(later).txt", "none\(mark)",
            ])
        }

        mutating func file(_ row: UInt32) {
            let hash = names.hash(row, rows)
            names.file(row, hash, rows)
            versions.noteFiled(row, hash, rows, names)
        }

        mutating func unfile(_ row: UInt32) {
            let hash = names.hash(row, rows)
            names.unfile(row, hash)
            versions.noteUnfiled(row, hash, rows, names)
        }

        mutating func settle() { versions.settle(&rows, names, packages, &recorder) }

        func beside(_ row: UInt32) -> UInt32? { rows.conflicts[row]?.beside }
    }

    @Test(arguments: [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]] as [[UInt32]])
    func `A file has the number of its versions, in whatever order they came`(order: [UInt32]) throws {
        var fixture = try Fixture()
        for row in order { fixture.file(row) }
        #expect(fixture.versions.hasUnsettled)
        fixture.settle()
        #expect(fixture.beside(1) == 3 && fixture.beside(2) == nil && !fixture.versions.hasUnsettled)
        #expect([1, 2, 3, 6].map { fixture.versions.contains($0) } == [false, false, true, true])
        #expect(fixture.recorder.open.count == 1)
        #expect(fixture.versions.check(fixture.rows, fixture.names) == nil)
    }

    @Test func `Versions that go are subtracted, one by one or at once`() throws {
        var fixture = try Fixture()
        for row in 1...6 as ClosedRange<UInt32> { fixture.file(row) }
        fixture.settle()
        fixture.unfile(3)
        fixture.settle()
        #expect(fixture.beside(1) == 2)
        var gone = RowBits(blocks: 1)
        for row in [4, 5] as [UInt32] { gone.insert(row) }
        fixture.versions.forgetAll(gone, fixture.rows, fixture.names)
        fixture.settle()
        #expect(fixture.beside(1) == nil && !fixture.versions.isEmpty)
    }

    @Test func `Only a regular file is a version`() throws {
        var fixture = try Fixture()
        for row in 1...6 as ClosedRange<UInt32> { fixture.file(row) }
        for (kind, expected) in [(FileKind.symlink, 2), (.file, 3)] as [(FileKind, UInt32)] {
            var values = fixture.rows.values(3)
            values.kind = kind
            fixture.rows.writable(3).setValues(3, values)
            fixture.versions.noteKind(3, fixture.rows, fixture.names)
            fixture.settle()
            #expect(fixture.beside(1) == expected && fixture.versions.check(fixture.rows, fixture.names) == nil)
        }
    }

    @Test func `The versions of restored rows are found`() throws {
        var fixture = try Fixture()
        for row in 1...6 as ClosedRange<UInt32> {
            fixture.names.file(row, fixture.names.hash(row, fixture.rows), fixture.rows)
        }
        fixture.versions.find(in: fixture.rows, fixture.names)
        fixture.settle()
        #expect(fixture.beside(1) == 3 && fixture.versions.check(fixture.rows, fixture.names) == nil)
    }
}
