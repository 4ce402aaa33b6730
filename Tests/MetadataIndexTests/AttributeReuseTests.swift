// Combinations of owner, group, mode, device and access list that nothing has any more.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct AttributeReuseTests {
    private static let seeds = TestLength.part(of: 301...312 as ClosedRange<UInt64>, oneIn: 3)

    /// The owner of a file changes its mode and owner time and again.
    @Test func `There are no more numbers than twice as many as are in use`() throws {
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        let row = try index.insert("file", below: .root, .sample(.file, inode: 2))
        let other = try index.insert("other", below: .root, .sample(.file, inode: 3))
        let early = index.snapshot()
        var status = FileStatus.sample(.file, inode: 2)
        let first = status.owner
        for number in 0..<3 * UInt32(AttributeDictionary.leastKept) {
            status.owner = 1_000 + number
            try index.update(row, status)
            _ = index.takeChanges()
            index.tidyAttributes()
            try #require(index.storage.rows.common.count <= AttributeDictionary.leastKept)
        }
        #expect(index.status(of: row).owner == status.owner)
        #expect(index.status(of: other).owner == first)
        #expect(early.status(of: row).owner == first)
        #expect(index.checkInvariants() == nil)
        // A subscriber that comes back is told the former status.
        let changes = try #require(index.changes(since: index.clock - 100))
        #expect(changes.preImage(at: 0)?.status.owner == status.owner - 100)
    }

    @Test(arguments: seeds)
    func `Snapshots and joined sets tell the past whatever became of numbers and lists`(seed: UInt64) throws {
        var pair = Pair(seed: seed, log: ChangeLog(maximumChanges: 40), listsComeAndGo: true)
        pair.tidySoon()
        _ = pair.index.takeChanges()
        var held: [(snapshot: IndexSnapshot, model: Model)] = []
        for turn in 0..<60 {
            let past = pair.model
            let clock = pair.index.clock
            var joined: ChangeSet?
            for _ in 0..<Int.random(in: 1...8, using: &pair.generator) {
                for _ in 0..<6 {
                    let (what, failure) = try pair.step()
                    try #require(failure == nil, "seed \(seed), turn \(turn), \(what)")
                }
                if pair.chance(30) { pair.sweep() }
                let set = pair.index.takeChanges()
                if pair.chance(50) { pair.sweep() }
                guard !set.isEmpty else { continue }
                if joined?.append(set) == nil { joined = set }
            }
            for set in [joined, pair.index.changes(since: clock)] {
                guard let set else { continue }
                let before = past.own
                for at in 0..<set.count {
                    let preImage = set.preImage(at: at)
                    try #require(preImage?.status == before[set.row(at: at)]?.status)
                    try #require(pair.hasList(preImage?.status.accessList ?? .none), "seed \(seed), turn \(turn)")
                }
                let wrong = past.difference(
                    from: set.preImageView(in: pair.index.snapshot()), rows: pair.index.allRows, isLoose: true)
                try #require(wrong == nil, "seed \(seed), turn \(turn)")
            }
            if pair.chance(30) { held.append((pair.index.snapshot(), pair.model)) }
            if held.count > 3 || pair.chance(20), !held.isEmpty {
                held.remove(at: .random(in: 0..<held.count, using: &pair.generator))
            }
            if pair.chance(10) {
                pair = Pair(pair, index: try Saved.index(pair.index.saved()))
            }
            if pair.chance(10) {
                pair.index.detachAll()
                _ = pair.index.takeChanges()
                pair.sweep()
                pair.index.attachAll()
                _ = pair.index.takeChanges()
            }
            if let failure = pair.failure() {
                Issue.record("seed \(seed), turn \(turn): \(failure)")
                return
            }
            _ = pair.index.takeChanges()
            try #require(pair.hasLists(of: pair.model), "seed \(seed), turn \(turn)")
            for (snapshot, model) in held {
                let wrong = model.difference(from: snapshot, rows: pair.index.allRows, isLoose: true)
                try #require(wrong == nil && pair.hasLists(of: model), "seed \(seed), turn \(turn)")
            }
        }
    }

    /// A million rows are looked at in a few ms; here it is seen that other device numbers do not bring back what is gone.
    @Test func `Statuses that became equal have one number, and unused ones none`() throws {
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        index.storage.attributes.setLeast(1)
        var status = FileStatus.sample(.file, inode: 2)
        var rows: [Row] = []
        for number in 0..<6 {
            status.device = UInt64(number % 2 + 1)
            status.owner = UInt32(number / 2)
            status.inode = UInt64(number + 2)
            rows.append(try index.insert("f\(number)", below: .root, status))
        }
        _ = index.takeChanges()
        let since = index.clock
        try index.remove(rows[4])
        _ = index.takeChanges()
        index.tidyAttributes()
        let free = index.storage.attributes.freeCount
        #expect(free > 0)
        index.renumber(device: 2, to: 1)
        #expect(index.checkInvariants() == nil)
        #expect(index.changes(since: since)?.count == 1)
        index.storage.attributes.setLeast(1)
        index.tidyAttributes()
        #expect(index.storage.attributes.freeCount > free)
        #expect(index.checkInvariants() == nil)
        for row in rows where index.isLive(row) { #expect(index.status(of: row).device == 1) }
    }

    /// Attributes that no row has are not saved.
    @Test func `Unused ones are not saved`() throws {
        let index = MetadataIndex(root: .sample(.directory, inode: 1))
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        let row = try index.insert("file", below: .root, .sample(.file, inode: 2))
        _ = index.takeChanges()
        let before = index.saved().count
        for number in 0..<100 {
            var status = FileStatus.sample(.file, inode: 2)
            status.mode = UInt16(number)
            status.accessList = AccessLists.intern([UInt8](repeating: 3, count: 100 + number), owner: 0)
            try index.update(row, status)
        }
        try index.update(row, .sample(.file, inode: 2))
        _ = index.takeChanges()
        #expect(index.saved().count == before)
    }
}
