// Detached rows, and the steps before they end.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct DetachedRowEndsTests {
    private var rows = DetachedRowEnds()

    @Test mutating func rowsWaitForWhatIsQueued() {
        rows.insert(in: 1)
        #expect(!rows.isAwaitingNews(at: 0) && rows.containers == [1])
        rows.insert(in: 2, receivedBefore: 50)
        rows.insert(in: 2, receivedBefore: 40)
        #expect(rows.isAwaitingNews(at: 49) && !rows.isAwaitingNews(at: 50))
    }

    @Test mutating func rowsWaitForDirectoriesThatFilesMayHaveMovedOnFrom() {
        let directories = (0..<3).map { DirectoryID(slot: $0, generation: 0) }
        rows.awaitMovingOn(from: directories[0])
        #expect(!rows.isAwaitingMovingOn, "no row is detached that it might be")
        rows.insert(in: 1)
        for directory in directories { rows.awaitMovingOn(from: directory) }
        let some = rows.takeMovedOn(atMost: 2)
        #expect(some.count == 2 && rows.isAwaitingNews(at: 99))
        rows.waitedForRenames(before: 60)
        #expect(Set(some + rows.takeMovedOn(atMost: 2)) == Set(directories))
        #expect(!rows.isAwaitingMovingOn && rows.isAwaitingNews(at: 59) && !rows.isAwaitingNews(at: 60))
    }

    @Test mutating func nothingIsWaitedForWithoutRows() {
        rows.insert(in: 1)
        rows.insert(in: 2)
        rows.awaitMovingOn(from: DirectoryID(slot: 0, generation: 0))
        rows.remove(1)
        #expect(rows.isAwaitingMovingOn)
        rows.remove(2)
        #expect(!rows.isAwaitingMovingOn)
    }

    @Test mutating func inaccessibleDirectoriesAreKeptApart() {
        rows.insertInaccessible(in: 3)
        #expect(rows.containersWithInaccessible == [3] && rows.containers.isEmpty)
        rows.removeInaccessible(3)
        #expect(rows.containersWithInaccessible.isEmpty)
    }
}
