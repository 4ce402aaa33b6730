// Versions in conflict that are claimed, and that have no author.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct ConflictCopiesTests {
    private static let copy = "letter.sync-conflict-20261128-120000-AAAAAAA.txt"
    private var copies = ConflictCopies()

    @Test mutating func freshCopiesAreKnownByTheirNames() {
        for part in [
            "letter.txt", Self.copy, "d/" + Self.copy, Self.copy + "/letter.txt", "a/very/deep/and/long/letter.txt",
        ] {
            copies.note(part)
        }
        #expect(copies.takeFresh() == [Self.copy, "d/" + Self.copy])
        #expect(copies.takeFresh().isEmpty)
    }

    @Test mutating func archivesHaveNoFreshCopies() {
        copies.note(".gather/archive/" + Self.copy)
        copies.note(".stversions/" + Self.copy)
        #expect(copies.takeFresh().isEmpty)
    }

    @Test mutating func copiesWaitForTheirAuthors() {
        copies.note(unnamed: "a")
        copies.note(unnamed: "b")
        copies.note(named: "a")
        #expect(copies.unnamed == ["b"] && copies.takeFresh().isEmpty)
        for number in 0..<2 * SyncLimits.waitingFiles { copies.note(unnamed: "\(number)") }
        #expect(copies.unnamed.count == SyncLimits.waitingFiles && copies.unnamed.contains("b"))
    }
}
