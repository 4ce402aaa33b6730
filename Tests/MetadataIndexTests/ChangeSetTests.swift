// The contents of change sets, case by case.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct ChangeSetTests {
    let index = MetadataIndex(root: .sample(.directory, inode: 2))

    @Test func aRowThatComesAndGoesIsNotThere() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        try index.update(row, .sample(.file, size: 2))
        try index.remove(row)
        #expect(index.hasChanges)
        #expect(index.takeChanges().isEmpty)
        #expect(index.clock == 0 && !index.hasChanges)
    }

    @Test func aRowChangedBackIsNotThere() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        let other = try index.insert("b", below: .root, .sample(.file))
        _ = index.takeChanges()
        try index.update(row, .sample(.file, size: 2))
        try index.move(row, to: .root, "c")
        try index.setXattrs(row, ExtraAttributes(tags: "x"))
        try index.update(other, .sample(.file, size: 3))
        try index.update(row, .sample(.file))
        try index.move(row, to: .root, "a")
        try index.setXattrs(row, nil)
        let set = index.takeChanges()
        #expect(set.count == 1 && set.row(at: 0) == other)
        #expect(set.index(of: row) == nil)
    }

    @Test func aRowFoundToHaveNoExtendedAttributesDidNotChange() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        let other = try index.insert("b", below: .root, .sample(.file))
        _ = index.takeChanges()
        #expect(try !index.setXattrs(row, ExtraAttributes.none))
        #expect(index.xattrs(of: row) == ExtraAttributes.none && index.takeChanges().isEmpty)
        #expect(try !index.setXattrs(row, nil))
        #expect(index.xattrs(of: row) == nil && index.takeChanges().isEmpty)
        // Nor where something else was recorded before.
        try index.update(row, .sample(.file, size: 2))
        try index.setXattrs(row, ExtraAttributes.none)
        try index.update(row, .sample(.file))
        #expect(try index.setXattrs(other, ExtraAttributes(tags: "x")))
        let set = index.takeChanges()
        #expect(set.count == 1 && set.row(at: 0) == other)
    }

    @Test func theEarliestStateStays() throws {
        let row = try index.insert("a", below: .root, .sample(.file, size: 1))
        _ = index.takeChanges()
        for size in 2...5 as ClosedRange<Int64> { try index.update(row, .sample(.file, size: size)) }
        let set = index.takeChanges()
        #expect(set.count == 1 && set.preImage(at: 0)?.status.size == 1)
        #expect(set.withPreImageName(at: 0) { Array($0) } == [97])
    }

    /// A slot that changed hands within one set: the old item is gone, the new one is there.
    @Test func aSlotThatChangedHands() throws {
        let row = try index.insert("a", below: .root, .sample(.file))
        let old = try #require(index.identifier(of: row))
        _ = index.takeChanges()
        try index.remove(row)
        let fleeting = try index.insert("b", below: .root, .sample(.file))
        #expect(fleeting == row)
        try index.remove(fleeting)
        #expect(try index.insert("c", below: .root, .sample(.file)) == row)
        let new = try #require(index.identifier(of: row))
        let set = index.takeChanges()
        #expect(set.count == 1)
        #expect(set.transition(at: 0, in: index) == .replaced(former: old, current: new))
        #expect(set.preImage(at: 0)?.identifier == old)
        let past = set.preImageView(in: index.snapshot())
        #expect(past.path(of: row) == "a" && index.path(of: row) == "c")
        #expect(past.isLive(old) && !past.isLive(new))
    }

    @Test func theViewOfThePastFollowsAncestorsThatWent() throws {
        let a = try index.insert("a", below: .root, .sample(.directory))
        let b = try index.insert("b", below: a, .sample(.directory))
        let c = try index.insert("c", below: b, .sample(.file))
        let stays = try index.insert("s", below: b, .sample(.file))
        _ = index.takeChanges()
        try index.move(stays, to: .root, "s2")
        try index.move(b, to: .root, "moved")
        try index.remove(a)
        try index.remove(b)
        let new = try index.insert("new", below: .root, .sample(.directory))
        try index.move(stays, to: new, "s3")
        let set = index.takeChanges()
        let past = set.preImageView(in: index.snapshot())
        #expect(past.path(of: c) == "a/b/c" && past.path(of: stays) == "a/b/s")
        #expect(index.path(of: stays) == "new/s3")
        #expect(past.isWithin(stays, a) && !index.isWithin(stays, a))
        #expect(past.depth(of: c) == 3)
        #expect(past.kind(of: b) == .directory)
    }

    @Test func theRootIsInNoSet() throws {
        #expect(try index.update(.root, .sample(.directory, inode: 3)))
        #expect(index.status(of: .root).inode == 3)
        #expect(index.takeChanges().isEmpty)
        #expect(index.rows(inode: 3, device: 7) == [.root])
        #expect(index.rows(inode: 2, device: 7).isEmpty)
    }

    /// Unrecorded insertions: in no set, the clock moves all the same, and the log reaches back to there only.
    @Test func unrecordedInsertionsEndTheLog() throws {
        let directory = try index.insert("d", below: .root, .sample(.directory))
        _ = index.takeChanges()
        #expect(index.changes(since: 0)?.count == 1)
        let rows = try index.insertFiles(["a", "b"], below: directory, recording: false)
        #expect(index.hasChanges)
        #expect(index.changes(since: 1) == nil)
        let set = index.takeChanges()
        #expect(set.isEmpty && set.since == 1 && set.clock == 2 && index.clock == 2)
        #expect(index.changes(since: 1) == nil && index.changes(since: 0) == nil)
        #expect(index.changes(since: 2)?.isEmpty == true)
        #expect(index.earliestClock == 2)
        try index.remove(rows[0])
        #expect(index.takeChanges().count == 1)
        #expect(index.changes(since: 2)?.count == 1)
    }

    /// They count as having been there before the open set.
    @Test func unrecordedRowsWereThereBefore() throws {
        let directory = try index.insert("d", below: .root, .sample(.directory))
        _ = index.takeChanges()
        let rows = try index.insertFiles(["a", "b"], below: directory, recording: false)
        try index.move(directory, to: .root, "e")
        try index.remove(rows[0])
        let set = index.takeChanges()
        #expect(set.count == 2)
        let past = set.preImageView(in: index.snapshot())
        #expect(past.path(of: rows[0]) == "d/a" && past.path(of: rows[1]) == "d/b")
        #expect(past.isLive(rows[1]))
    }

    /// Below a directory that is new in the open set everything is recorded, and an update always is.
    @Test func insertionsBelowANewDirectoryAndUpdatesAreRecorded() throws {
        let directory = try index.insert("d", below: .root, .sample(.directory))
        let rows = try index.insertFiles(["a", "b"], below: directory, recording: false)
        var set = index.takeChanges()
        #expect((0..<set.count).map { set.row(at: $0) } == [directory] + rows)
        #expect(index.changes(since: 0)?.count == 3)
        try index.update(rows[0], .sample(.file, size: 3))
        _ = index.takeChanges()
        #expect(try index.insertFiles(["a", "b"], below: directory, recording: false) == rows)
        set = index.takeChanges()
        #expect(set.count == 1 && set.row(at: 0) == rows[0])
        #expect(index.changes(since: 0)?.count == 3)
    }

    /// An unrecorded occupant of a slot whose last one went within the set is seen as what it is.
    @Test func anUnrecordedOccupantOfAnEmptiedSlot() throws {
        let file = try index.insert("f", below: .root, .sample(.file))
        let directory = try index.insert("d", below: .root, .sample(.directory))
        _ = index.takeChanges()
        try index.remove(file)
        #expect(try index.insertFiles(["a"], below: directory, recording: false) == [file])
        let set = index.takeChanges()
        #expect(set.count == 1)
        guard case .replaced = set.transition(at: 0, in: index) else {
            Issue.record("\(String(describing: set.transition(at: 0, in: index)))")
            return
        }
    }

    @Test func aSetLargerThanTheLogCutsIt() throws {
        let index = MetadataIndex(
            root: .sample(.directory), epoch: 1, key: 1, log: ChangeLog(maximumChanges: 100, maximumBytes: 1 << 20))
        _ = try index.insertFiles((0..<101).map { "f\($0)" }, below: .root)
        _ = index.takeChanges()
        #expect(index.changes(since: 0) == nil && index.earliestClock == 1)
        _ = try index.insertFiles(["x"], below: .root)
        _ = index.takeChanges()
        #expect(index.changes(since: 1)?.count == 1)
    }
}
