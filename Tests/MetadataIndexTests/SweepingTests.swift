// Subtrees that fill whole blocks go at once.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct SweepingTests {
    @Test func `Blocks that lose all rows can be told of, saved and filled again`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let top = try Array("top".utf8).withUnsafeBytes {
            try index.insert(parent: .root, name: $0, status: .sample(.directory, inode: 5))
        }
        let stays = try index.insertFiles(["stays"], below: .root)
        let rows = try index.insertFiles((0..<13_000).map { "f\($0)" }, below: top)
        _ = index.takeChanges()
        let tagged = rows[9_000]
        try index.setXattrs(tagged, ExtraAttributes(tags: "red"))
        _ = index.takeChanges()
        let before = index.snapshot()
        try index.remove(top)
        #expect(index.count == 1)
        #expect(index.checkInvariants() == nil)
        let set = index.takeChanges()
        #expect(set.count == 13_001)
        let view = set.preImageView(in: index.snapshot())
        for row in rows + [top] + stays {
            try #require(view.identifier(of: row) == before.identifier(of: row))
            try #require(view.path(of: row) == before.path(of: row))
            try #require(view.status(of: row) == before.status(of: row))
            try #require(view.xattrs(of: row) == before.xattrs(of: row))
            try #require(index.isLive(row) == stays.contains(row))
        }
        #expect(try Saved.index(index.saved()).checkInvariants() == nil)
        for row in try index.insertFiles((0..<13_500).map { "g\($0)" }, below: .root) {
            try #require(index.identifier(of: row) != before.identifier(of: row))
        }
        #expect(index.checkInvariants() == nil)
    }
}
