// The index of packages, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

/// Directory 1 has the files 2 and 3 and directory 4, which has file 5. File 6 lies beside directory 1.
@Suite struct PackageIndexTests {
    private var packages = PackageIndex()
    private var rows: RowStore
    private var versions = ConflictVersions()
    private var recorder = ChangeRecorder()
    private var limits = SubtreeLimits()

    init() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let outer = try index.insert("outer", below: .root, .sample(.directory, inode: 2))
        _ = try index.insert("a", below: outer, .sample(.file, size: 10))
        _ = try index.insert("b", below: outer, .sample(.file, size: 20))
        let inner = try index.insert("inner", below: outer, .sample(.directory, inode: 3))
        _ = try index.insert("c", below: inner, .sample(.file, size: 100))
        _ = try index.insert("d", below: .root, .sample(.file, size: 1_000))
        rows = index.storage.rows
    }

    /// Gives a row other values, and tells the index of packages.
    private mutating func change(_ row: UInt32, _ body: (inout RowValues) -> Void) {
        let old = packages.ownValues(row, rows)
        let package = packages.package(holding: rows.parent(row), rows)
        var new = old
        body(&new)
        packages.enclose(row, &new, in: package, isNew: false)
        let access = rows.access(row)
        rows.writable(row).setValues(RowStore.slot(row), new)
        packages.noteChange(row, from: old, access, to: new, in: package, &rows, &versions)
    }

    private mutating func settle() { packages.settle(&rows, &versions, &recorder, limits) }

    private var size: Int64 { rows.values(1).size }

    @Test mutating func `A package shows the sizes of all files within, and is recorded once`() {
        change(1) { $0.kind = .package }
        #expect(packages.hasUnsettled)
        settle()
        #expect(!packages.hasUnsettled && size == 130 && rows.packages[1]?.size == 0)
        #expect(recorder.open.count == 1 && packages.check(rows, versions) == nil)
        #expect(packages.package(holding: 4, rows) == 1 && packages.package(holding: 0, rows) == nil)
    }

    @Test mutating func `Changes within are summed up once the package is settled`() {
        change(1) { $0.kind = .package }
        settle()
        _ = recorder.take(from: rows)
        for size in [50, 60] as [Int64] { change(5) { $0.size = size } }
        #expect(size == 130 && packages.check(rows, versions) == nil)
        settle()
        #expect(size == 90 && recorder.open.count == 1)
        change(6) { $0.size = 1 }
        #expect(!packages.hasUnsettled)
    }

    @Test mutating func `Entries that come, leave or go are added and subtracted`() {
        change(1) { $0.kind = .package }
        settle()
        let moved = packages.leave(6, from: nil, to: 1, rows, versions, limits)
        packages.enter(1, moved)
        settle()
        #expect(size == 1_130)
        packages.noteDeparture(4, rows, versions, limits)
        settle()
        #expect(size == 1_030)
        packages.noteDeparture(ofRow: 2, from: 1, rows, versions)
        settle()
        #expect(size == 1_020)
    }

    @Test mutating func `A large subtree makes the package be counted again`() {
        change(1) { $0.kind = .package }
        settle()
        limits.mostFoundAtOnce = 1
        #expect(packages.leave(4, from: 1, to: nil, rows, versions, limits) == nil)
        // It did not move in the end.
        packages.enter(nil, nil)
        settle()
        #expect(size == 130 && packages.check(rows, versions) == nil)
    }

    @Test mutating func `A package in a package is a plain directory until the outer one is none`() {
        change(4) { $0.kind = .package }
        settle()
        #expect(rows.kind(4) == .package && rows.values(4).size == 100)
        change(1) { $0.kind = .package }
        settle()
        #expect(rows.kind(4) == .directory && packages.enclosed.contains(4) && size == 130)
        #expect(packages.check(rows, versions) == nil)
        change(1) { $0.kind = .directory }
        settle()
        #expect(rows.kind(4) == .package && packages.enclosed.isEmpty && rows.values(4).size == 100)
        #expect(packages.states.keys.sorted() == [4] && packages.check(rows, versions) == nil)
    }

    @Test mutating func `Conflict versions within are counted`() {
        change(1) { $0.kind = .package }
        settle()
        packages.noteVersion(in: 1, isVersion: true)
        settle()
        #expect(packages.states[1]?.totals.versions == 1 && versions.hasUnsettled)
        packages.noteVersion(in: 1, isVersion: false)
        #expect(packages.states[1]?.totals.versions == 0)
    }

    @Test mutating func `A package that is gone is forgotten, alone and with many rows`() {
        for isAlone in [true, false] {
            change(1) { $0.kind = .package }
            settle()
            if isAlone {
                packages.forgetRow(1, &rows, &versions)
            } else {
                var gone = RowBits(blocks: 1)
                gone.insert(1)
                packages.forgetAll(gone, &rows, &versions)
            }
            #expect(packages.isEmpty && !packages.hasUnsettled && rows.packages[1] == nil)
            var values = rows.values(1)
            values.kind = .directory
            rows.writable(1).setValues(1, values)
        }
    }

    @Test mutating func `Restored packages have their sums again, and nothing is recorded`() {
        change(1) { $0.kind = .package }
        settle()
        _ = recorder.take(from: rows)
        packages = PackageIndex()
        packages.restore(&rows, &versions)
        #expect(size == 130 && packages.check(rows, versions) == nil && recorder.open.isEmpty)
    }

    @Test mutating func `The directory itself has its own values beside the sums`() {
        change(1) { $0.kind = .package }
        settle()
        #expect(size == 130 && packages.ownValues(1, rows).size == 0)
        packages.noteReplacement(1, by: packages.states[1], isDirectory: false)
        #expect(packages.hasUnsettled)
    }
}
