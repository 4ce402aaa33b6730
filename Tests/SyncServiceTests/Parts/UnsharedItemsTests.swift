// Items that are not sent, under changes and patterns.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct UnsharedItemsTests {
    private var items = UnsharedItems()

    @Test mutating func specialFilesAreNotSentUntilAnotherItemHasTheirName() {
        items.note(special: "pipe")
        items.note(special: "socket")
        #expect(items.contains("pipe") && items.parts == ["pipe", "socket"])
        items.note("pipe", isRemoved: false)
        items.note("socket", isRemoved: true)
        #expect(items.parts.isEmpty)
        items.take(special: ["device"])
        #expect(items.contains("device") && items.parts == ["device"])
    }

    @Test mutating func wherePatternsAreTheScanTells() {
        #expect(items.take(patterns: ["*.o"]) == true)
        #expect(items.isIgnoring)
        items.note("a.o", isShared: false)
        items.note("a.o", isRemoved: false)
        #expect(items.contains("a.o"))
        items.note("a.o", isShared: true)
        #expect(!items.contains("a.o"))
        items.note("a.o", isShared: false)
        items.note("a.o", isRemoved: true)
        #expect(!items.contains("a.o"))
    }

    @Test mutating func changedItemsAreInDoubtIfThereArePatterns() {
        _ = items.takePatternDoubt()
        items.doubt(["a"])
        #expect(!items.hasDoubts && items.takeDoubtful() == nil)
        _ = items.take(patterns: ["*.o"])
        items.doubt(["a", "b"])
        #expect(items.hasDoubts)
        let doubtful = [items.takeDoubtful(), items.takeDoubtful()]
        #expect(Set(doubtful) == ["a", "b"] && !items.hasDoubts)
        #expect(items.takeDoubtful() == nil)
    }

    @Test mutating func patternsAreReadAtFirstAndAfterDoubts() {
        #expect(items.hasDoubts && items.takePatternDoubt() == true)
        #expect(!items.hasDoubts && items.takePatternDoubt() == false)
        items.doubtPatterns()
        #expect(items.hasDoubts && items.takePatternDoubt() == true)
        #expect(items.take(patterns: []) == false)
        #expect(items.take(patterns: ["a", "b"]) == true)
        #expect(items.take(patterns: ["a", "b"]) == false)
        #expect(items.take(patterns: ["b", "a"]) == true, "the first that matches decides")
        #expect(items.take(patterns: []) == true)
        #expect(!items.isIgnoring)
    }

    @Test mutating func itemsAreListedWhereTheirStateDiffers() {
        items.note("early", isRemoved: false)
        items.take(items: ["a"], differs: false)
        items.note("b", isRemoved: false)
        #expect(items.parts.isEmpty)
        items.take(items: ["a", "b"], differs: true)
        items.note("c", isRemoved: false)
        items.note("a", isRemoved: true)
        #expect(items.parts == ["b", "c"] && !items.contains("b"))
    }
}
