// Access lists on their way back: the rows have the lists at the end that they had.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

/// The table of lists is that of the process, so each owner here has files in no other test.
@Suite(.serialized) struct RestoredAccessListsTests {
    /// The state that one process left behind: an index as it was saved, the journal since, and the clock at its end.
    private struct Left {
        var saved: [UInt8] = []
        var journal: [UInt8] = []
        var clock: UInt64 = 0
        var earliestClock: UInt64 = 0
        var row = Row.root
    }

    private static func list(_ number: Int, of owner: UInt32) -> [UInt8] {
        AccessListSweepTests.list(number, of: owner)
    }

    /// A directory of the owner gets one list after the other, and is saved now and then; sweeps let go of what it had.
    private func live(_ owner: UInt32, lists: [[UInt8]], savedAfter: Int = 0) async throws -> Left {
        var left = Left()
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        var status = FileStatus.sample(.directory, inode: 2)
        status.owner = owner
        left.row = try index.insert("directory", below: .root, status)
        _ = index.takeChanges()
        var writer = JournalEncoder(Saved.header)
        for (number, list) in lists.enumerated() {
            if number == savedAfter { left.saved = index.saved() }
            let kept = await AccessListSweepTests.intern(list, of: owner, index)
            status.accessList = kept.list
            try index.update(left.row, status)
            withExtendedLifetime(kept.lease) {}
            writer.add(index.takeChanges(), of: index, sequence: Saved.header.startSequence + UInt64(number) + 1)
            if AccessLists.isDue { AccessListSweepTests.sweep(index) }
        }
        left.journal = Saved.header.bytes + writer.bytes
        (left.clock, left.earliestClock) = (index.clock, index.earliestClock)
        #expect(!index.lacksAccessLists)
        return left
    }

    /// Ends the process: sweeps until the unused lists were let go.
    private func end(with list: [UInt8], of owner: UInt32) async {
        let known = AccessLists.intern(list, owner: owner)
        while AccessLists.bytes(of: known) == list {
            AccessLists.beginSweep()
            await Task.yield()
        }
    }

    /// More lists than the owner may have are in the journal, also where most of it is in the saved index already.
    @Test(arguments: TestLength.part(of: [4_000, 1, 0], oneIn: 3))
    func `An owner who set lists in a loop has the last one after a restart`(savedAfter: Int) async throws {
        let owner = UInt32(52_001 + savedAfter)
        let lists = (0..<AccessLists.countOfOwner + 200).map { Self.list($0, of: owner) }
        let left = try await live(owner, lists: lists, savedAfter: savedAfter)
        await end(with: lists[lists.count - 1], of: owner)
        let restored = try Saved.index(left.saved, journal: [left.journal])
        #expect(AccessLists.bytes(of: restored.status(of: left.row).accessList) == lists[lists.count - 1])
        #expect(!restored.lacksAccessLists && restored.checkInvariants() == nil)
        // Recent changes can be told still, and their access of then.
        #expect(restored.clock == left.clock && restored.earliestClock < left.clock)
        let set = try #require(restored.changes(since: left.clock - 1))
        let preImage = try #require(set.count == 1 ? set.preImage(at: 0) : nil)
        #expect(AccessLists.bytes(of: preImage.status.accessList) == lists[lists.count - 2])
        // The past takes no more of the share than it may, and not much less.
        let past = AccessLists.countOfOwner / AccessListAllowance.part
        #expect(restored.clock - restored.earliestClock <= UInt64(past + 1))
        #expect(restored.clock - restored.earliestClock >= UInt64(past - ChangeLog.segmentAttributes))
        #expect(AccessLists.hasRoom(for: owner))
    }

    /// One whose directories have all that the owner may have, beside one with a past.
    @Test func `Lists of the rows of one index come before the past of another`() async throws {
        let owner: UInt32 = 52_002
        let past = try await live(owner, lists: (0..<600).map { Self.list($0, of: owner) })
        await end(with: Self.list(599, of: owner), of: owner)
        let lists = (0..<AccessLists.countOfOwner - 1).map { Self.list(10_000 + $0, of: owner) }
        var saved: [UInt8] = []
        do {
            let index = MetadataIndex(root: .sample(.directory, inode: 1))
            for (number, list) in lists.enumerated() {
                var status = FileStatus.sample(.directory, inode: UInt64(number) + 2)
                status.owner = owner
                let kept = await AccessListSweepTests.intern(list, of: owner, index)
                status.accessList = kept.list
                _ = try index.insert("d\(number)", below: .root, status)
                withExtendedLifetime(kept.lease) {}
            }
            _ = index.takeChanges()
            saved = index.saved()
        }
        await end(with: lists[0], of: owner)
        let first = try SnapshotReader(past.saved).restorer()
        try Saved.apply(past.journal, to: first)
        let second = try SnapshotReader(saved).restorer()
        try first.restoreLists()
        try second.restoreLists()
        var allowance = AccessListAllowance()
        let (one, other) = (try first.finish(&allowance), try second.finish(&allowance))
        #expect(one.clock == past.clock && one.earliestClock == one.clock)
        #expect(AccessLists.bytes(of: one.status(of: past.row).accessList) == Self.list(599, of: owner))
        #expect(!one.lacksAccessLists && one.checkInvariants() == nil)
        #expect(!other.lacksAccessLists && other.checkInvariants() == nil)
        #expect(other.saved() == saved)
    }

    /// Lists of 32 KiB, one for each change: memory holds what counts and little more.
    @Test func `Lists of the journal that nothing has any more are let go on the way`() async throws {
        let owner: UInt32 = 52_003
        let lists = (0..<600).map { number in
            Self.list(number, of: owner) + [UInt8](repeating: 9, count: 32 << 10)
        }
        #expect(lists.reduce(0) { $0 + $1.count } > 4 * RestoredAccessLists.pastBytes)
        let left = try await live(owner, lists: lists)
        await end(with: lists[lists.count - 1], of: owner)
        let restorer = try SnapshotReader(left.saved).restorer()
        var most = 0
        try left.journal.withUnsafeBytes { bytes in
            var reader = try JournalReader(bytes)
            while let record = try reader.next() {
                try restorer.apply(record)
                most = max(most, restorer.lists.byteCount)
            }
        }
        #expect(most > RestoredAccessLists.pastBytes && most < 3 * RestoredAccessLists.pastBytes)
        let restored = try restorer.finish()
        #expect(AccessLists.bytes(of: restored.status(of: left.row).accessList) == lists[lists.count - 1])
        #expect(restored.clock == left.clock && restored.checkInvariants() == nil)
    }
}
