// A restored index equals the saved one, and damaged bytes are refused or make a whole index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct SnapshotFileTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `A random index comes back, and goes on`(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        if seed > 4 { try pair.fill(4_300) }
        for _ in 0..<5 {
            for _ in 0..<120 { _ = try pair.step() }
            _ = pair.index.takeChanges()
            let restored = try Saved.index(pair.index.saved())
            #expect(restored.epoch == pair.index.epoch)
            #expect(restored.clock == pair.index.clock)
            #expect(restored.earliestClock == restored.clock)
            #expect(!restored.hasChanges)
            pair = Pair(pair, index: restored)
            try #require(pair.failure() == nil, "seed \(seed)")
        }
    }

    /// Lists may have 64 KiB, and any number of packages the same ones.
    @Test func `An access list is written once, whatever has it`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        var status = FileStatus.sample(.package)
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        status.accessList = AccessLists.intern([UInt8](repeating: 9, count: 3_000), owner: 0)
        var inner: [Row] = []
        for number in 0..<50 {
            let package = try index.insert("p\(number).gro", below: .root, status)
            inner.append(try index.insert("d", below: package, status))
        }
        _ = index.takeChanges()
        let saved = index.saved()
        #expect(saved.count < 30_000)
        for row in inner {
            status.size += 1
            try index.update(row, status)
        }
        var writer = JournalEncoder(Saved.header)
        let set = index.takeChanges()
        #expect(set.count == 50)
        status.mode = 0o700
        for row in inner { try index.update(row, status) }
        writer.add(index.takeChanges(), of: index, sequence: 101)
        #expect(writer.bytes.count < 30_000)
        let restored = try Saved.index(index.saved())
        for row in inner { #expect(restored.package(at: restored.parent(of: row))?.accesses?.count == 2) }
    }

    /// More than fit into one frame.
    @Test func `Many packages come back`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let count = 30_000
        for number in 0..<count {
            let package = try index.insert("p\(number).gro", below: .root, .sample(.package))
            if number % 100 == 0 { _ = try index.insert("f", below: package, .sample(.file, size: Int64(number))) }
        }
        _ = index.takeChanges()
        let restored = try Saved.index(index.saved())
        var packages = 0
        restored.forEachDescendant(of: .root) { row in
            guard restored.kind(of: row) == .package else { return true }
            packages += 1
            if restored.status(of: row) != index.status(of: row) || restored.package(at: row) != index.package(at: row)
            {
                Issue.record("\(row) is another")
            }
            return true
        }
        #expect(packages == count)
    }

    @Test func `A package in a package is damage`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let package = try index.insert("p.gro", below: .root, .sample(.package))
        let inner = try index.insert("q.gro", below: package, .sample(.package))
        _ = index.takeChanges()
        _ = try Saved.index(index.saved())
        var values = index.storage.rows.values(inner.number)
        values.kind = .package
        index.storage.rows.writable(inner.number).setValues(RowStore.slot(inner.number), values)
        index.storage.rows.packages[inner.number] = index.storage.rows.packages[package.number]
        #expect(throws: RestoreError.self) { try Saved.index(index.saved()) }
    }

    @Test func `An empty container is restored with its attachment`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let bytes = index.saved(attachment: [1, 2, 3])
        #expect(try SnapshotReader(bytes).attachment == [1, 2, 3])
        let restored = try Saved.index(bytes)
        #expect(restored.count == 0)
        #expect(restored.checkInvariants() == nil)
        _ = try restored.insert("a", below: .root, .sample(.file))
        #expect(restored.checkInvariants() == nil)
    }

    @Test func `Access lists come back`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        var status = FileStatus.sample(.file)
        let list = AccessList(entries: [
            .init(.owner, .init(rawValue: 6)), .init(.user, .init(rawValue: 4), number: 33),
        ])
        let lease = AccessLists.lease()
        defer { withExtendedLifetime(lease) {} }
        status.accessList = AccessLists.intern(list.bytes, owner: 0)
        let row = try index.insert("a", below: .root, status)
        _ = index.takeChanges()
        #expect(try Saved.index(index.saved()).status(of: row) == status)
    }

    @Test(arguments: [11, 12] as [UInt64])
    func `Items that were detached come back from disk with their identities`(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        for _ in 0..<200 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        pair.index.detachAll()
        #expect(pair.index.count == 0)
        #expect(pair.index.checkInvariants() == nil)
        #expect(throws: IndexError.full) { try pair.index.insert("new", below: .root, .sample(.file)) }
        let gone = pair.index.takeChanges()
        #expect(gone.count == pair.model.entries.count)
        let restored = try Saved.index(pair.index.saved())
        #expect(restored.isDetached)
        #expect(restored.count == 0)
        for index in [restored, pair.index] {
            #expect(index.attachAll())
            #expect(index.takeChanges().count == pair.model.entries.count)
            var other = Pair(pair, index: index)
            try #require(other.failure() == nil, "seed \(seed)")
            for _ in 0..<200 { _ = try other.step() }
            try #require(other.failure() == nil, "seed \(seed)")
        }
    }

    @Test func `The root is who it is while its items are detached`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        _ = try index.insertFiles(["a"], below: .root)
        var root = FileStatus.sample(.directory)
        (root.device, root.mode, root.inode) = (77, 0o700, 4_711)
        try index.update(.root, root)
        _ = index.takeChanges()
        index.detachAll()
        _ = index.takeChanges()
        let restored = try Saved.index(index.saved())
        for index in [index, restored] {
            #expect(index.status(of: .root) == root)
            #expect(index.checkInvariants() == nil)
            index.attachAll()
            #expect(index.status(of: .root) == root)
            #expect(index.checkInvariants() == nil)
        }
    }

    @Test func `Detached and brought back within one set is no change`() throws {
        var pair = Pair(seed: 13)
        for _ in 0..<100 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        let clock = pair.index.clock
        pair.index.detachAll()
        #expect(pair.index.attachAll())
        #expect(pair.index.takeChanges().isEmpty)
        #expect(pair.index.clock == clock)
        #expect(!pair.index.attachAll())
        #expect(pair.failure() == nil)
    }

    @Test func `A file system's new number changes no item, and files are found by it`() throws {
        var pair = Pair(seed: 14)
        for _ in 0..<150 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        pair.index.renumber(device: 1, to: 2)
        #expect(!pair.index.hasChanges)
        for path in pair.model.entries.keys { pair.model.entries[path]?.status.device = 2 }
        #expect(pair.failure() == nil)
        for path in pair.model.entries.keys {
            let row = pair.row(path)
            #expect(try !pair.index.update(row, pair.index.ownStatus(of: row)))
        }
    }

    @Test func `After a loss no generation comes again, whatever comes and goes`() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let rows = try index.insertFiles(["a", "b", "c"], below: .root)
        try index.remove(rows[1])
        _ = index.takeChanges()
        let bytes = index.saved()
        // Identifiers that no subscriber knows of later.
        var given: Set<ItemIdentifier> = []
        for number in 0..<10 {
            for row in index.children(of: .root) { try index.remove(row) }
            for row in try index.insertFiles(["x\(number)", "y", "z", "w"], below: .root) {
                given.insert(try #require(index.identifier(of: row)))
            }
        }
        let restored = try Saved.index(bytes, mayHaveLost: true)
        for _ in 0..<10 {
            for row in try restored.insertFiles(["p", "q", "r"], below: .root) {
                #expect(!given.contains(try #require(restored.identifier(of: row))))
            }
            for row in restored.children(of: .root) { try restored.remove(row) }
        }
        // And the next start without a loss keeps to it.
        _ = restored.takeChanges()
        let again = try Saved.index(restored.saved())
        for row in try again.insertFiles(["p", "q", "r", "s", "t"], below: .root) {
            #expect(!given.contains(try #require(again.identifier(of: row))))
        }
    }
}

@Suite struct DamagedSnapshotTests {
    private func small() throws -> [UInt8] {
        var pair = Pair(seed: 5)
        pair.largest = 14
        for _ in 0..<160 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        return pair.index.saved(attachment: [7])
    }

    @Test func `Each cut is refused`() throws {
        let bytes = try small()
        for count in 0..<bytes.count {
            #expect(throws: RestoreError.self, "\(count)") { try Saved.index(Array(bytes[..<count])) }
        }
        #expect(throws: RestoreError.self) { try Saved.index(bytes + [0]) }
    }

    @Test func `Each damaged byte is found`() throws {
        let bytes = try small()
        for place in bytes.indices {
            for bit in [0, 3, 7] as [UInt8] {
                var damaged = bytes
                damaged[place] ^= 1 << bit
                #expect(throws: RestoreError.self, "byte \(place)") { try Saved.index(damaged) }
            }
        }
    }

    @Test func `Damage with checksums that fit is refused, or makes a whole index`() throws {
        let bytes = try small()
        var generator = SeededGenerator(seed: 3)
        var accepted = 0
        for place in bytes.indices {
            for value in damages(&generator) {
                var damaged = bytes
                damaged[place] = value
                Saved.reseal(snapshot: &damaged)
                guard let index = try? Saved.index(damaged) else { continue }
                accepted += 1
                try #require(index.checkInvariants() == nil, "byte \(place) = \(value)")
                if accepted % 16 == 0 { try exercise(index) }
            }
        }
        #expect(accepted > 16, "sizes and times may be anything")
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Several damages at once, and foreign bytes`(seed: UInt64) throws {
        let bytes = try small()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                damaged[Int.random(in: 24..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            Saved.reseal(snapshot: &damaged)
            guard let index = try? Saved.index(damaged) else { continue }
            try #require(index.checkInvariants() == nil, "seed \(seed)")
        }
        for count in [0, 1, 8, 16, 40, 4_000] {
            let foreign = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: RestoreError.self) { try Saved.index(foreign) }
        }
        var future = bytes
        future[8] = UInt8(SnapshotFormat.version + 1)
        #expect(throws: RestoreError.version(SnapshotFormat.version + 1)) { try Saved.index(future) }
    }

    /// Uses an index in every way that walks along its rows.
    private func exercise(_ index: MetadataIndex) throws {
        for row in index.allRows where index.isLive(row) { _ = index.path(of: row) }
        for row in index.children(of: .root) { try index.remove(row) }
        _ = try index.insertFiles((0..<40).map { "f\($0)" }, below: .root)
        try #require(index.checkInvariants() == nil)
    }
}
