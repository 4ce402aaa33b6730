// The index, call by call.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct MetadataIndexTests {
    @Test func entriesAreFoundAndHavePaths() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let a = try index.insert("a", below: .root, .sample(.directory))
        let b = try index.insert("b", below: a, .sample(.file, inode: 2))
        #expect(index.count == 2)
        #expect(index.directoryCount == 1)
        #expect(index.path(of: b) == "a/b")
        #expect(index.child("b", of: a) == b)
        #expect(index.child("b", of: .root) == nil)
        let changes = index.takeChanges()
        #expect(changes.count == 2)
        #expect(index.clock == 1)
    }
}
