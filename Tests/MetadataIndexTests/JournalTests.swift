// The journal restores the index as it was, and damaged journals do no harm.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct JournalTests {
    /// The contents of a change set, without the order of its changes.
    private func described(_ set: ChangeSet?, _ index: MetadataIndex) -> [String]? {
        set.map { set in
            (0..<set.count).map { at in
                let name = set.withPreImageName(at: at) { Array($0) }
                let (preImage, transition) = (set.preImage(at: at), set.transition(at: at, in: index))
                return "\(set.row(at: at)) \(String(describing: preImage)) \(name) \(String(describing: transition))"
            }.sorted()
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `An index is brought forward, and its past with it`(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        if seed == 4 { try pair.fill(4_100) }
        var sequence = Saved.header.startSequence
        var journal = Saved.header.bytes
        var writer = JournalEncoder(Saved.header)
        func take() {
            let before = pair.index.clock
            let set = pair.index.takeChanges()
            guard pair.index.clock != before else { return }
            sequence += 1
            writer.add(set, of: pair.index, sequence: sequence)
            journal += writer.bytes
            writer.removeAll()
        }
        let early = pair.index.saved()
        let first = pair.index.clock
        var middle = early
        for number in 0..<60 {
            for _ in 0..<Int.random(in: 1...9, using: &pair.generator) { _ = try pair.step() }
            take()
            if number == 40 { middle = pair.index.saved() }
            if number == 30 { writer.append(.ended, sequence: sequence) }
        }
        for bytes in [early, middle] {
            let index = try Saved.index(bytes, journal: [journal])
            #expect(index.clock == pair.index.clock)
            let other = Pair(pair, index: index)
            try #require(other.failure() == nil, "seed \(seed)")
            #expect(index.earliestClock == first)
            for clock in stride(from: first, through: pair.index.clock, by: 7) {
                let isSame =
                    described(index.changes(since: clock), index)
                    == described(pair.index.changes(since: clock), pair.index)
                #expect(isSame, "seed \(seed), clock \(clock)")
            }
        }
    }

    /// Untold changes are not in the record of the rows that are back, and neither are rows that are gone.
    @Test(arguments: 31...38 as ClosedRange<UInt64>)
    func `The first record after a snapshot with detached rows says which are back`(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        for _ in 0..<60 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        let known = (1..<pair.index.storage.slots.slotCount).compactMap { pair.index.identifier(of: Row($0)) }
        pair.index.detachAll()
        _ = pair.index.takeChanges()
        let (saved, clock) = (pair.index.saved(), pair.index.clock)
        #expect(pair.index.attachAll())
        var writer = JournalEncoder(Saved.header)
        for number in 1...3 as ClosedRange<UInt64> {
            for _ in 0..<30 { _ = try pair.step() }
            writer.add(pair.index.takeChanges(), of: pair.index, sequence: Saved.header.startSequence + number)
        }
        let restored = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        try #require(restored.checkInvariants() == nil && Pair(pair, index: restored).failure() == nil, "seed \(seed)")
        #expect(!restored.isDetached && restored.clock == clock + 3 && restored.earliestClock == clock)
        #expect(
            described(restored.changes(since: clock), restored)
                == described(pair.index.changes(since: clock), pair.index))
        // Rows that went meanwhile have ended.
        for identifier in known where !restored.isLive(identifier.row) {
            #expect(restored.storage.rows.generation(identifier.row.number) > identifier.generation, "seed \(seed)")
        }
    }

    /// Names are compared by those who come back: only the identifiers' slots must agree, not the order of free ones.
    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func `It goes on after the restart without giving an identifier twice`(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        var sequence = Saved.header.startSequence
        for _ in 0..<6 {
            let saved = pair.index.saved()
            var header = Saved.header
            header.startSequence = sequence
            var writer = JournalEncoder(header)
            for _ in 0..<20 {
                for _ in 0..<5 {
                    let (what, failure) = try pair.step()
                    try #require(failure == nil, "seed \(seed), \(what)")
                }
                let before = pair.index.clock
                let set = pair.index.takeChanges()
                guard pair.index.clock != before else { continue }
                sequence += 1
                writer.add(set, of: pair.index, sequence: sequence)
            }
            let known = Set(pair.model.entries.values.map(\.id))
            pair = Pair(pair, index: try Saved.index(saved, journal: [header.bytes + writer.bytes]))
            // An identifier that came and went within one set was never told and may be given again.
            pair.given = known
            try #require(pair.failure() == nil, "seed \(seed)")
        }
    }

    @Test func `A gap leaves the index behind, and identifiers given out since are not given again`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let saved = index.saved()
        var writer = JournalEncoder(Saved.header)
        _ = try index.insertFiles(["a"], below: .root)
        writer.add(index.takeChanges(), of: index, sequence: 101)
        var given: Set<ItemIdentifier> = []
        for row in try index.insertFiles(["lost"], below: .root) {
            given.insert(try #require(index.identifier(of: row)))
        }
        _ = index.takeChanges()
        writer.append(.unrecorded, sequence: 102, epoch: index.epoch, clock: index.clock)
        _ = try index.insertFiles(["b"], below: .root)
        writer.add(index.takeChanges(), of: index, sequence: 103)

        let restorer = try SnapshotReader(saved).restorer()
        try Saved.apply(Saved.header.bytes + writer.bytes, to: restorer)
        #expect(restorer.isBehind)
        #expect(restorer.clockTicks(end: 103).floor == 104)
        let restored = try restorer.finish()
        #expect(restored.children(of: .root).count == 1)
        #expect(restored.changes(since: 0) == nil)
        for row in try restored.insertFiles(["c"], below: .root) {
            #expect(!given.contains(try #require(restored.identifier(of: row))))
        }
        // Until it is saved the next one stands there too, and hears of what this one may give.
        writer.append(.floor, sequence: 103, epoch: index.epoch, clock: UInt64(restored.generationFloor))
        let next = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        #expect(next.generationFloor > restored.generationFloor)
        // Once it is saved, nothing becomes of it of what followed on the gap.
        _ = restored.takeChanges()
        let savedAgain = restored.saved()
        var header = Saved.header
        (header.number, header.run, header.startSequence) = (header.number + 1, header.run + 1, 104)
        var following = JournalEncoder(header)
        _ = try restored.insertFiles(["d"], below: .root)
        following.add(restored.takeChanges(), of: restored, sequence: 105)
        let last = try Saved.index(
            savedAgain, journal: [Saved.header.bytes + writer.bytes, header.bytes + following.bytes])
        #expect(last.clock == restored.clock && last.clock > index.clock && last.checkInvariants() == nil)
        #expect(last.children(of: .root).count == 3, "a, c and d")
        #expect(last.changes(since: index.clock) == nil && last.changes(since: restored.clock - 1)?.count == 1)
    }

    @Test func `While nothing is saved no slot changes hands so often that the next run could give the same`() throws {
        let first = MetadataIndex(root: .sample(.directory))
        _ = try first.insertFiles(["kept"], below: .root)
        _ = first.takeChanges()
        var floor = JournalEncoder(Saved.header)
        floor.append(.floor, sequence: 100, epoch: first.epoch, clock: 1 << 20 - 3)
        let restorer = try SnapshotReader(first.saved()).restorer()
        try Saved.apply(Saved.header.bytes + floor.bytes, to: restorer)
        let index = try restorer.finish()
        let saved = index.saved()
        index.isBounded = true
        var given: Set<ItemIdentifier> = []
        for number in 0..<10 {
            let row = try #require(try index.insertFiles(["f\(number)"], below: .root).first)
            #expect(given.insert(try #require(index.identifier(of: row))).inserted)
            try index.remove(row)
        }
        #expect(index.checkInvariants() == nil)
        let next = try Saved.index(saved, mayHaveLost: true)
        for number in 0..<20 {
            for row in try next.insertFiles(["n\(number)"], below: .root) {
                #expect(!given.contains(try #require(next.identifier(of: row))))
            }
        }
        index.isBounded = false
        let again = try Saved.index(index.saved())
        for row in try again.insertFiles(["x", "y", "z"], below: .root) {
            #expect(!given.contains(try #require(again.identifier(of: row))))
        }
    }

    @Test func `The daemon's clock stands against the index's as it stood`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let saved = index.saved()
        var writer = JournalEncoder(Saved.header)
        writer.append(.unrecorded, sequence: 101, epoch: 5, clock: 9)
        _ = try index.insertFiles(["a"], below: .root)
        writer.add(index.takeChanges(), of: index, sequence: 102)
        writer.append(.removed, sequence: 103, epoch: 5)
        _ = try index.insertFiles(["b"], below: .root)
        writer.add(index.takeChanges(), of: index, sequence: 104)
        for bytes in [saved, index.saved()] {
            let restorer = try SnapshotReader(bytes).restorer()
            restorer.historyStart = 100
            try Saved.apply(Saved.header.bytes + writer.bytes, to: restorer)
            let ticks = restorer.clockTicks(end: 104)
            #expect(ticks.base == 0 && ticks.floor == 100 && ticks.sequences == [102, 104])
        }
        let other = try SnapshotReader(index.saved()).restorer()
        other.historyStart = 100
        #expect(other.clockTicks(end: 104) == (2, 100, []))
    }

    private func xattrs(_ number: Int) -> ExtraAttributes {
        let comment = [UInt8](repeating: UInt8(ascii: "x"), count: 4_000) + Array("\(number)".utf8)
        return ExtraAttributes([(Array("xdg.comment".utf8), comment)])
    }

    @Test func `Extended attributes that many have are written once, and counted once`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let rows = try index.insertFiles((0..<10_000).map { "f\($0)" }, below: .root)
        for (number, row) in rows.enumerated() { try index.setXattrs(row, xattrs(number & 1)) }
        _ = index.takeChanges()
        let saved = index.saved()
        let before = index.clock
        // One way by states that are held, one by those that were copied.
        for row in rows[..<5_000] { try index.remove(row) }
        var writer = JournalEncoder(Saved.header)
        writer.add(index.takeChanges(), of: index, sequence: 101)
        for row in rows[5_000...] { try index.setXattrs(row, ExtraAttributes.none) }
        writer.add(index.takeChanges(), of: index, sequence: 102)
        #expect(writer.bytes.count < 10_000 * 200)
        #expect(index.earliestClock <= before)
        let restored = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        #expect(restored.earliestClock <= before && restored.checkInvariants() == nil)
        let changes = try #require(restored.changes(since: before))
        #expect(changes.count == 10_000)
        let numbers = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, $0) })
        for at in 0..<changes.count {
            let number = try #require(numbers[changes.row(at: at)])
            let isSame = changes.preImage(at: at)?.xattrs == xattrs(number & 1)
            try #require(isSame)
        }
        for row in rows[5_000...] { try #require(restored.xattrs(of: row) == ExtraAttributes.none) }
    }

    @Test func `A record that grows too large is given up while it is made`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        var writer = JournalEncoder(Saved.header, largestRecord: 20_000)
        let rows = try index.insertFiles((0..<5_000).map { "f\($0)" }, below: .root)
        writer.add(index.takeChanges(), of: index, sequence: 101, isWritten: false)
        for (number, row) in rows[..<5].enumerated() { try index.setXattrs(row, xattrs(number)) }
        writer.add(index.takeChanges(), of: index, sequence: 101, isWritten: false)
        #expect(writer.bytes.isEmpty && writer.bytes.capacity < 80_000)
        let saved = index.saved()
        for (number, row) in rows[..<3].enumerated() { try index.setXattrs(row, xattrs(number + 1)) }
        writer.add(index.takeChanges(), of: index, sequence: 101)
        let restored = try Saved.index(saved, journal: [Saved.header.bytes + writer.bytes])
        let isSame = rows[..<5].allSatisfy { restored.xattrs(of: $0) == index.xattrs(of: $0) }
        #expect(isSame)
    }

    @Test func `A set that is too large is not written`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        _ = try index.insertFiles((0...JournalFormat.largestSet).map { "f\($0)" }, below: .root)
        var writer = JournalEncoder(Saved.header)
        writer.add(index.takeChanges(), of: index, sequence: 1, isWritten: false)
        #expect(writer.bytes.isEmpty)
        index.detachAll()
        writer.add(index.takeChanges(), of: index, sequence: 1, isWritten: false)
    }
}

@Suite struct DamagedJournalTests {
    private func small() throws -> (saved: [UInt8], journal: [UInt8]) {
        var pair = Pair(seed: 4)
        pair.largest = 14
        for _ in 0..<60 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        let saved = pair.index.saved()
        var writer = JournalEncoder(Saved.header)
        var sequence = Saved.header.startSequence
        for _ in 0..<8 {
            for _ in 0..<3 { _ = try pair.step() }
            let before = pair.index.clock
            let set = pair.index.takeChanges()
            guard pair.index.clock != before else { continue }
            sequence += 1
            _ = writer.append(set, of: pair.index, sequence: sequence)
        }
        writer.append(.floor, sequence: sequence, epoch: pair.index.epoch, clock: 3)
        return (saved, Saved.header.bytes + writer.bytes)
    }

    /// Each record says that a little more came and went untold than the one before; together that cannot be.
    @Test func `No journal has an index grow without bound`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let row = try index.insert("file", below: .root, .sample(.file, inode: 2))
        _ = index.takeChanges()
        let saved = index.saved()
        let (before, clock) = (index.storage.slots.slotCount, index.clock)
        func journal(_ growths: [UInt32]) throws -> [UInt8] {
            var writer = JournalEncoder(Saved.header)
            index.storage.recorder = ChangeRecorder(clock: clock)
            for (number, growth) in growths.enumerated() {
                try index.update(row, .sample(.file, inode: 2, size: Int64(number + 1_000 * growths.count)))
                let set = index.takeChanges()
                index.storage.slots = SlotAllocator(slotCount: index.storage.slots.slotCount + growth)
                writer.add(set, of: index, sequence: Saved.header.startSequence + UInt64(number) + 1)
            }
            index.storage.slots = SlotAllocator(slotCount: before)
            return Saved.header.bytes + writer.bytes
        }
        let restored = try Saved.index(saved, journal: [try journal([5_000])])
        #expect(restored.checkInvariants() == nil && restored.storage.slots.slotCount == before + 5_000)
        let hostile = try journal([5_000, 1 << 22])
        let restorer = try SnapshotReader(saved).restorer()
        #expect(throws: RestoreError.malformed("the number of rows")) { try Saved.apply(hostile, to: restorer) }
    }

    @Test func `Each damaged byte is found, and the records before it count`() throws {
        let (saved, journal) = try small()
        for place in journal.indices {
            var damaged = journal
            damaged[place] ^= 0x10
            let restorer = try SnapshotReader(saved).restorer()
            #expect(throws: RestoreError.self, "byte \(place)") { try Saved.apply(damaged, to: restorer) }
            try #require(try restorer.finish().checkInvariants() == nil, "byte \(place)")
        }
    }

    @Test func `Each cut leaves what is whole`() throws {
        let (saved, journal) = try small()
        for count in 0..<journal.count {
            let restorer = try SnapshotReader(saved).restorer()
            try? Saved.apply(Array(journal[..<count]), to: restorer)
            try #require(try restorer.finish().checkInvariants() == nil, "\(count)")
        }
    }

    @Test func `Damage with checksums that fit is refused, or makes a whole index`() throws {
        let (saved, journal) = try small()
        var generator = SeededGenerator(seed: 9)
        var accepted = 0
        for place in stride(from: 0, to: journal.count, by: TestLength.isLong ? 1 : 5) {
            for value in damages(&generator) {
                var damaged = journal
                damaged[place] = value
                Saved.reseal(journal: &damaged)
                let restorer = try SnapshotReader(saved).restorer()
                do {
                    try Saved.apply(damaged, to: restorer)
                } catch { continue }
                guard let index = try? restorer.finish() else { continue }
                accepted += 1
                try #require(index.checkInvariants() == nil, "byte \(place) = \(value)")
                // The past may be nonsense, but it ends.
                guard let set = index.changes(since: index.earliestClock) else { continue }
                let view = set.preImageView(in: index.snapshot())
                for at in 0..<set.count where set.hasPreImage(at: at) {
                    _ = view.path(of: set.row(at: at))
                    _ = view.depth(of: set.row(at: at))
                    _ = view.isWithin(set.row(at: at), Row(1))
                    _ = view.status(of: set.row(at: at))
                    _ = view.xattrs(of: set.row(at: at))
                }
            }
        }
        #expect(accepted > 4)
    }
}
