// Those who come back to a container with one clock share what changed since.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import Testing

@testable import GatherService

struct ContainerHistoryTests {
    private let index = MetadataIndex(root: ContainerHistoryTests.status(.directory))

    private static func status(_ kind: FileKind) -> FileStatus {
        FileStatus(
            kind: kind, mode: 0o755, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: 0), owner: 1, group: 1, links: 1, inode: 1, device: 1)
    }

    /// Adds a file, and takes the change set.
    private func change(_ name: String) throws {
        _ = try Array(name.utf8).withUnsafeBytes {
            try index.insert(parent: .root, name: $0, status: Self.status(.file))
        }
        _ = index.takeChanges()
    }

    @Test func clocksOfTheDaemonLeadToThoseOfTheIndex() {
        var history = ContainerHistory(ClockMap(indexClock: 10, floor: 3))
        for sequence in [5, 9] as [UInt64] { history.noteChangeSet(at: sequence) }
        #expect([2, 3, 4, 5, 8, 9, 100].map { history.indexClock(at: $0) } == [nil, 10, 10, 11, 11, 12, 12])
    }

    @Test func changesAreCounted() {
        var history = ContainerHistory(ClockMap(indexClock: 0))
        for count in [3, 0, 4] { history.noteChanges(count) }
        #expect(history.changeCount == 7)
    }

    @Test func oneClockHasOneResultUntilThereIsNews() throws {
        try change("a")
        var history = ContainerHistory(ClockMap(indexClock: index.clock))
        let since = index.clock
        try change("b")
        let first = history.changes(since: since, of: index)
        #expect(first != nil && history.changes(since: since, of: index) === first)
        let other = history.changes(since: index.clock, of: index)
        #expect(other != nil && other !== first)
        let again = history.changes(since: since, of: index)
        try change("c")
        let news = history.changes(since: since, of: index)
        #expect(news !== again && news?.current.clock == index.clock)
    }
}
