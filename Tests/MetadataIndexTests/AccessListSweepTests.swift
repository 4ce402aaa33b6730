// Access lists that no row has any more.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

/// The table of lists is that of the process, so each owner here has files in no other test.
struct AccessListSweepTests {
    static func list(_ number: Int, of owner: UInt32) -> [UInt8] {
        AccessList(entries: [.init(.user, .read, number: owner), .init(.user, .read, number: UInt32(number))]).bytes
    }

    /// The handle of a list when there is room for it, with what keeps it: other tests may keep what was let go here for a
    /// moment, and let go of unused ones.
    static func intern(
        _ bytes: [UInt8], of owner: UInt32, _ index: MetadataIndex
    ) async -> (list: AccessListID, lease: AccessListLease) {
        while true {
            let lease = AccessLists.lease()
            let list = AccessLists.intern(bytes, owner: owner)
            if list != .unknown { return (list, lease) }
            sweep(index)
            await Task.yield()
        }
    }

    static func sweep(_ index: MetadataIndex) {
        var allowance = AccessListAllowance()
        AccessLists.beginSweep()
        index.sweepAccessLists(&allowance)
    }

    @Test func `An owner who sets lists in a loop always has room for the next`() async throws {
        let owner: UInt32 = 51_001
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        var status = FileStatus.sample(.directory, inode: 2)
        status.owner = owner
        let row = try index.insert("directory", below: .root, status)
        let other = try index.insert("other", below: .root, status)
        func set(_ list: [UInt8], of row: Row) async throws {
            let kept = await Self.intern(list, of: owner, index)
            status.accessList = kept.list
            try index.update(row, status)
            withExtendedLifetime(kept.lease) {}
        }
        try await set(Self.list(-1 & 0xFFFF_FFFF, of: owner), of: other)
        let kept = status.accessList
        _ = index.takeChanges()
        for number in 0..<4 * AccessLists.countOfOwner {
            try await set(Self.list(number, of: owner), of: row)
            _ = index.takeChanges()
            if AccessLists.isDue { Self.sweep(index) }
        }
        #expect(!index.lacksAccessLists)
        #expect(AccessLists.bytes(of: kept) == Self.list(-1 & 0xFFFF_FFFF, of: owner))
        #expect(index.storage.rows.common.count <= AttributeDictionary.leastKept)
        #expect(index.checkInvariants() == nil)
        // Recent changes can be told still.
        #expect(index.earliestClock < index.clock)
        #expect(index.clock - index.earliestClock <= UInt64(AccessLists.countOfOwner))
    }

    @Test func `A list let go before its file came is unknown, and that is said`() async throws {
        let owner: UInt32 = 51_002
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        let gone = AccessLists.intern(Self.list(1, of: owner), owner: owner)
        while AccessLists.bytes(of: gone) == Self.list(1, of: owner) {
            AccessLists.beginSweep()
            await Task.yield()
        }
        var status = FileStatus.sample(.directory, inode: 2)
        status.accessList = gone
        let row = try index.insert("directory", below: .root, status)
        #expect(index.lacksAccessLists)
        #expect(index.status(of: row).accessList == .unknown)
        #expect(index.rowsLackingAccessLists(from: .root, atMost: 10, of: [status.owner]).rows == [row])
        #expect(index.rowsLackingAccessLists(from: .root, atMost: 10, of: []).rows == [])
        #expect(index.ownersLackingAccessLists == [status.owner])
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        status.accessList = AccessLists.intern(Self.list(1, of: owner), owner: owner)
        #expect(status.accessList != gone)
        try index.update(row, status)
        index.lookForAccessLists()
        #expect(!index.lacksAccessLists)
        #expect(index.ownersLackingAccessLists.isEmpty)
    }

    @Test func `Such items are told a few at a time`() throws {
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        var rows: [Row] = []
        let owner = FileStatus.sample(.directory, inode: 1).owner
        for number in 0..<20 {
            var status = FileStatus.sample(.directory, inode: UInt64(number + 2))
            if number % 2 == 0 { status.accessList = .unknown }
            let row = try index.insert("d\(number)", below: .root, status)
            if number % 2 == 0 { rows.append(row) }
        }
        var found: [Row] = []
        var from: Row? = .root
        while let first = from {
            let (some, next) = index.rowsLackingAccessLists(from: first, atMost: 3, of: [owner])
            #expect(some.count <= 3)
            found += some
            from = next
        }
        #expect(found == rows)
    }

    /// Between the beginning of a sweep and its own part in it.
    @Test func `Taking numbers back does not count as the index's part in a sweep`() throws {
        let owner: UInt32 = 51_003
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        index.storage.attributes.setLeast(1)
        var status = FileStatus.sample(.directory, inode: 2)
        let early = AccessLists.lease()
        status.accessList = AccessLists.intern(Self.list(1, of: owner), owner: owner)
        let past = status.accessList
        let row = try index.insert("directory", below: .root, status)
        _ = index.takeChanges()
        status.accessList = .none
        try index.update(row, status)
        _ = index.takeChanges()
        withExtendedLifetime(early) {}
        let lease = try #require(index.storage.rows.lease)
        AccessLists.beginSweep()
        index.storage.attributes.setLeast(1)
        index.tidyAttributes()
        #expect(index.storage.attributes.freeCount > 0)
        #expect(index.storage.rows.lease === lease)
        var allowance = AccessListAllowance()
        index.sweepAccessLists(&allowance)
        // The log names it.
        let later = try #require(index.storage.rows.lease)
        #expect(later !== lease)
        #expect(AccessLists.bytes(of: past) == Self.list(1, of: owner))
        #expect(index.checkInvariants() == nil)
    }

    @Test func `If a list of the past is refused after a restart, that past is not told`() async throws {
        let owner: UInt32 = 51_004
        var index: MetadataIndex? = MetadataIndex(root: .sample(.directory, inode: 1))
        var status = FileStatus.sample(.directory, inode: 2)
        status.owner = owner
        let row = try #require(try index?.insert("directory", below: .root, status))
        _ = index?.takeChanges()
        let saved = try #require(index?.saved())
        var writer = JournalEncoder(Saved.header)
        func take(_ list: AccessListID, sequence: UInt64) throws {
            status.accessList = list
            try index?.update(row, status)
            guard let index else { return }
            writer.add(index.takeChanges(), of: index, sequence: Saved.header.startSequence + sequence)
        }
        var lease: AccessListLease? = AccessLists.lease()
        let past = AccessLists.intern(Self.list(1, of: owner), owner: owner)
        try take(past, sequence: 1)
        lease = nil
        try take(.none, sequence: 2)
        let (before, clock) = (try #require(index?.clock) - 2, try #require(index?.clock))
        let journal = Saved.header.bytes + writer.bytes
        #expect(try Saved.index(saved, journal: [journal]).earliestClock == before)
        index = nil
        while AccessLists.bytes(of: past) == Self.list(1, of: owner) {
            AccessLists.beginSweep()
            await Task.yield()
        }
        lease = AccessLists.lease()
        var number = 1_000
        while AccessLists.intern(Self.list(number, of: owner), owner: owner) != .unknown { number += 1 }
        let restored = try Saved.index(saved, journal: [journal])
        #expect(restored.clock == clock && restored.earliestClock == clock)
        // No item has it now.
        #expect(!restored.lacksAccessLists && restored.checkInvariants() == nil)
        withExtendedLifetime(lease) {}
    }
}
