// Directories that would be packages, without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct EnclosedDirectoriesTests {
    @Test func `Directories that crossed a boundary are taken once`() {
        var enclosed = EnclosedDirectories()
        #expect(enclosed.isSorted && enclosed.isEmpty)
        enclosed.noteCrossing(3)
        enclosed.noteCrossing(3)
        #expect(!enclosed.isSorted && enclosed.takeUnsorted() == [3] && enclosed.isSorted)
        enclosed.set(4, true)
        #expect(enclosed.contains(4) && enclosed.isSorted)
        enclosed.set(4, false)
        #expect(enclosed.isEmpty)
    }

    @Test(arguments: [256, 0])
    func `Candidates lie at or below the directories that crossed, however many rows lie there`(most: Int) throws {
        let index = MetadataIndex(root: .sample(.directory))
        let outer = try index.insert("outer", below: .root, .sample(.directory, inode: 2))
        let inner = try index.insert("inner", below: outer, .sample(.directory, inode: 3))
        _ = try index.insertFiles(["a", "b", "c", "d"], below: inner)
        let other = try index.insert("other", below: .root, .sample(.directory, inode: 4))
        var rows = index.storage.rows
        var values = rows.values(other.number)
        values.kind = .package
        rows.writable(other.number).setValues(RowStore.slot(other.number), values)
        var enclosed = EnclosedDirectories()
        enclosed.set(inner.number, true)
        let packages = [other.number]
        func candidates(_ tops: Set<UInt32>) -> [UInt32] {
            enclosed.candidates(below: tops, packages, rows, mostFoundAtOnce: most)
        }
        #expect(candidates([outer.number]) == [inner.number])
        #expect(candidates([outer.number, inner.number]) == [inner.number])
        #expect(candidates([other.number]) == [other.number])
        #expect(candidates([outer.number, other.number]).sorted() == [inner.number, other.number])
    }
}
