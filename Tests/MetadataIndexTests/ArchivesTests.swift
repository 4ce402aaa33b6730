// Whether an index knows that it has archives, by whatever way one came.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

struct ArchivesTests {
    private static let names = [".gather", ".stversions"]

    private func index(with names: String...) throws -> MetadataIndex {
        let index = MetadataIndex(root: .sample(.directory))
        for (number, name) in names.enumerated() {
            _ = try index.insert(name, below: .root, .sample(.directory, inode: UInt64(number) + 2))
        }
        return index
    }

    @Test func othersAreNone() throws {
        let index = try index(with: ".gather2", "gather", ".stversion", ".git", "d")
        #expect(!index.hasArchives)
        #expect(!(try Saved.index(index.saved())).hasArchives)
        #expect(!index.snapshot().hasArchives)
    }

    @Test(arguments: names) func anArchiveMayBeInsertedRenamedAndRestored(name: String) throws {
        let inserted = try index(with: "d", name)
        #expect(inserted.hasArchives && inserted.snapshot().hasArchives)
        let restored = try Saved.index(inserted.saved())
        #expect(restored.hasArchives && restored.checkInvariants() == nil)

        let renamed = try index(with: "d")
        _ = renamed.takeChanges()
        let saved = renamed.saved()
        let row = try #require(renamed.child("d", of: .root))
        let below = try renamed.insert("f", below: row, .sample(.file, inode: 9))
        #expect(renamed.archive(around: below) == nil)
        try renamed.move(row, to: .root, name)
        #expect(renamed.hasArchives && renamed.archive(around: below) == row)
        // From the journal.
        var writer = JournalEncoder(Saved.header)
        writer.add(renamed.takeChanges(), of: renamed, sequence: Saved.header.startSequence + 1)
        let again = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        #expect(again.archive(around: below) == row && again.checkInvariants() == nil)
    }
}
