// Detached rows, without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct DetachedRowsTests {
    private var detached = DetachedRows()
    private let directory = DetachedIdentities.Occupant(row: 1, generation: 3)
    private static let born = Timestamp(nanoseconds: -5)

    private func file(_ inode: UInt64, links: UInt32 = 1) -> FileStatus {
        .sample(.file, inode: inode, links: links, created: Self.born)
    }

    /// Detaches the second occupant of a row, which is a file named `f`.
    private mutating func keep(
        _ row: UInt32, _ status: FileStatus, as remembrance: Remembrance, isBelow: Bool = false
    ) -> UInt32? {
        detached.keep(
            .init(row: row, generation: 2), status, named: Array("f".utf8), in: directory, as: remembrance,
            isBelow: isBelow)
    }

    private mutating func take(_ status: FileStatus, named name: String = "f") -> DetachedIdentities.Identity? {
        Array(name.utf8).withUnsafeBytes { detached.take(status, named: $0, in: directory) }
    }

    @Test mutating func `A file that comes again takes its row and generation`() {
        #expect(keep(7, file(10), as: .moved(isOutdated: false)) == nil)
        #expect(detached.count == 1 && !detached.hasInaccessible)
        let known = take(file(10), named: "elsewhere")
        #expect(known?.row == 7 && known?.generation == 2 && detached.isEmpty)
        #expect(take(file(10)) == nil)
    }

    @Test mutating func `A row that is not to be kept ends at once`() {
        #expect(keep(7, file(10), as: .none) == 7)
        // One of several names cannot be known again where the file has moved.
        #expect(keep(8, file(11, links: 2), as: .moved(isOutdated: false)) == 8)
        #expect(detached.isEmpty)
    }

    @Test mutating func `The earlier row of a file ends`() {
        #expect(keep(7, file(10), as: .moved(isOutdated: false)) == nil)
        #expect(keep(8, file(10), as: .moved(isOutdated: false)) == 7)
        #expect(detached.endDetached() == [8] && detached.isEmpty && detached.endDetached().isEmpty)
    }

    @Test mutating func `A file with several names is found again in an inaccessible directory by its name`() {
        #expect(detached.needsStatus(.inaccessible) && !detached.needsStatus(.none))
        #expect(
            keep(7, file(10, links: 2), as: .inaccessible) == nil && detached.hasInaccessible
                && detached.needsStatus(.none))
        #expect(take(file(10, links: 2), named: "other") == nil)
        #expect(take(file(10, links: 2))?.row == 7)
    }

    @Test mutating func `Identities end by their reason`() {
        #expect(keep(7, file(10), as: .inaccessible) == nil && keep(8, file(11), as: .moved(isOutdated: false)) == nil)
        #expect(detached.endInaccessible(file(11).identity) == nil && detached.endInaccessible(file(10).identity) == 7)
        #expect(keep(9, file(12), as: .inaccessible) == nil)
        #expect(detached.endDetached() == [8] && detached.count == 1 && detached.endInaccessible() == [9])
    }

    @Test
    mutating func `A file that did not change since its birth is another one if its size differs, unless that is old`()
    {
        for (isOutdated, row) in [(false, nil), (true, 7)] as [(Bool, UInt32?)] {
            var young = file(10)
            (young.changed, young.modified) = (Self.born, Self.born)
            #expect(keep(7, young, as: .moved(isOutdated: isOutdated)) == nil)
            var again = young
            (again.size, again.modified, again.changed) = (5, Timestamp(nanoseconds: 1), Timestamp(nanoseconds: 1))
            #expect(take(again)?.row == row)
            _ = detached.endDetached()
        }
    }

    @Test mutating func `Files that may lie in inaccessible directories too are found among rows`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let same = try index.insert("same", below: .root, file(10))
        let other = try index.insert("other", below: .root, file(11))
        var gone = RowBits(blocks: 1)
        for row in [same, other] { gone.insert(row.number) }
        #expect(detached.inaccessibleFiles(gone, of: index.storage.rows).isEmpty)
        #expect(keep(7, file(10), as: .inaccessible) == nil)
        #expect(detached.inaccessibleFiles(gone, of: index.storage.rows) == [file(10).identity])
    }

    @Test mutating func `Rows that may have moved are saved, and those in inaccessible directories are not`() throws {
        #expect(detached.saved(limit: 1_000).isEmpty)
        #expect(keep(7, file(10), as: .moved(isOutdated: false)) == nil && keep(8, file(11), as: .inaccessible) == nil)
        let bytes = detached.saved(limit: 1_000)
        #expect(detached.saved(limit: bytes.count - 1).isEmpty)
        let found = try #require(bytes.withUnsafeBytes { DetachedIdentities.saved(in: $0) })
        detached = DetachedRows()
        for saved in found { #expect(detached.restore(saved) == nil) }
        #expect(take(file(11)) == nil && take(file(10))?.row == 7)
    }
}
