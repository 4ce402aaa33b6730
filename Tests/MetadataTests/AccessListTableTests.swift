// The table of access lists: the lists that are kept, and the shares that they take.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Metadata

struct AccessListTableTests {
    /// A list that no other number makes.
    private func list(_ number: Int, entries: Int = 1) -> [UInt8] {
        AccessList(entries: (0..<entries).map { .init(.user, .read, number: UInt32(number + $0)) }).bytes
    }

    @Test func `One list is kept once, whoever brings it`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        let first = table.intern(list(1), owner: 1)
        #expect(table.intern(list(1), owner: 2) == first)
        #expect(table.intern([], owner: 2) == .none)
        #expect(table.count == 1)
        #expect(table.bytes(of: first) == list(1))
        #expect(table.list(first) == AccessList(list(1)))
    }

    @Test func `An owner has a sixteenth of the lists, and other owners do not notice`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        for number in 0..<4 { #expect(table.intern(list(number), owner: 1) != .unknown) }
        #expect(table.hasRoom(for: 1))
        for number in 4..<1_000 { #expect(table.intern(list(number), owner: 1) == .unknown) }
        #expect(!table.hasRoom(for: 1) && table.hasRoom(for: 2))
        #expect(table.intern(list(0), owner: 1) != .unknown)
        #expect(table.intern(list(2_000), owner: 2) != .unknown)
        // A list that another owner brought counts for everybody's files.
        #expect(table.intern(list(2_000), owner: 1) != .unknown)
        #expect(!table.hasRoom(for: 1) && table.hasRoom(for: 2))
    }

    @Test func `An owner has a sixteenth of the bytes`() {
        let size = list(0, entries: 10).count
        var table = AccessListTable(maximumCount: 1_000, maximumBytes: 16 * (3 * size))
        for number in 0..<3 { #expect(table.intern(list(number * 100, entries: 10), owner: 1) != .unknown) }
        #expect(table.intern(list(9_000), owner: 1) == .unknown)
        #expect(!table.hasRoom(for: 1) && table.hasRoom(for: 2))
        #expect(table.intern(list(9_000), owner: 2) != .unknown)
    }

    @Test func `Root has no share but the whole`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        for number in 0..<64 { #expect(table.intern(list(number), owner: 0) != .unknown) }
        #expect(table.intern(list(64), owner: 0) == .unknown)
        #expect(table.intern(list(64), owner: 1) == .unknown)
        #expect(!table.hasRoom(for: 0))
        #expect(table.count == 64)
    }

    @Test func `All lists together have so many bytes`() {
        let size = list(0).count
        var table = AccessListTable(maximumCount: 1_000, maximumBytes: 5 * size)
        for number in 0..<5 { #expect(table.intern(list(number), owner: 0) != .unknown) }
        #expect(table.intern(list(5), owner: 0) == .unknown)
        #expect(table.intern(list(4), owner: 0) != .unknown)
    }

    // MARK: Letting go

    @Test func `A list without a file is let go when no era from before is left`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        let first = table.beginEra()
        let (kept, gone) = (table.intern(list(1), owner: 1), table.intern(list(2), owner: 1))
        let second = table.beginEra()
        #expect(table.touch(kept) == true)
        #expect(table.count == 2)
        #expect(table.list(gone) == AccessList(list(2)))
        table.endEra(first)
        #expect(table.count == 1)
        #expect(table.bytes(of: kept) == list(1))
        #expect(table.bytes(of: gone) == table.bytes(of: .unknown))
        #expect(!table.list(gone).grants(.read, to: Credentials(user: 2, groups: []), owningGroup: 0))
        #expect(table.touch(gone) == false)
        // Its place is given to another, which has another number.
        let other = table.intern(list(3), owner: 1)
        #expect(other != gone)
        #expect(table.bytes(of: other) == list(3))
        #expect(table.bytes(of: gone) == table.bytes(of: .unknown))
        table.endEra(second)
        #expect(table.count == 2)
    }

    @Test func `An owner past their share has room again`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        let first = table.beginEra()
        let lists = (0..<4).map { table.intern(list($0), owner: 1) }
        #expect(table.intern(list(4), owner: 1) == .unknown)
        #expect(!table.hasRoom(for: 1) && table.hasRoom(for: 2))
        let second = table.beginEra()
        #expect(!table.isDue)
        for list in lists[1...] { #expect(table.touch(list) == true) }
        table.endEra(first)
        #expect(table.roomMade == 1 && table.hasRoom(for: 1))
        #expect(table.intern(list(4), owner: 1) != .unknown)
        #expect(table.intern(list(5), owner: 1) == .unknown)
        // Nothing of theirs can be let go.
        let third = table.beginEra()
        for list in lists[1...] { #expect(table.touch(list) == true) }
        let last = table.intern(list(4), owner: 1)
        #expect(table.touch(last) == true)
        table.endEra(second)
        #expect(table.roomMade == 1 && !table.hasRoom(for: 1))
        table.endEra(third)
    }

    /// As one place after the other is given again for days: whoever kept a handle for so long, and no lease, must not be taken
    /// to have the list that has the place by then.
    @Test func `A handle is never that of another list, however often its place is given`() {
        var table = AccessListTable(maximumCount: 16, maximumBytes: 1 << 10)
        var present = table.beginEra()
        let first = table.intern(list(1), owner: 0)
        var all: Set<AccessListID> = []
        for number in 0..<100_000 {
            let given = table.intern(list(number % 2 + 1), owner: 0)
            #expect(all.insert(given).inserted && (number == 0) == (given == first))
            let ended = present
            present = table.beginEra()
            table.endEra(ended)
            if number % 1_000 == 0 { #expect(table.bytes(of: first) == table.bytes(of: .unknown)) }
        }
        #expect(table.count == 0)
        #expect(table.touch(first) == false)
    }

    /// No list that somebody has is let go, and all others are: holders that have handles, copies of what they had, and such
    /// that are on their way from one who reads.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `A random crowd keeps what it has`(seed: UInt64) throws {
        struct Holder {
            var era: UInt64
            var lists: Set<AccessListID>
        }
        var generator = SeededGenerator(seed: seed)
        var table = AccessListTable(maximumCount: 1_600, maximumBytes: 1 << 20)
        var bytes: [AccessListID: [UInt8]] = [:]
        var living: [UInt64: Int] = [:]
        var present = table.beginEra()
        living[present] = 1
        func begin(_ era: UInt64) -> UInt64 {
            living[era, default: 0] += 1
            return era
        }
        func end(_ era: UInt64) {
            living[era, default: 0] -= 1
            if living[era] == 0 { table.endEra(era) }
        }
        var indexes = (0..<3).map { _ in Holder(era: begin(present), lists: []) }
        var copies: [Holder] = []
        var readers: [Holder] = []
        var largest = 0
        for step in 0..<4_000 {
            let place = Int.random(in: 0..<3, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<30:
                // One begins to read, and may be done much later.
                var reader = Holder(era: begin(present), lists: [])
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let bytesOfOne = list(step / 8 + Int.random(in: 0..<12, using: &generator))
                    let id = table.intern(bytesOfOne, owner: UInt32.random(in: 1...2, using: &generator))
                    guard id != .unknown else { continue }
                    bytes[id] = bytesOfOne
                    reader.lists.insert(id)
                }
                readers.append(reader)
            case 30..<60 where !readers.isEmpty:
                let reader = readers.remove(at: .random(in: 0..<readers.count, using: &generator))
                for id in reader.lists {
                    try #require(table.touch(id) == true, "seed \(seed), step \(step)")
                    indexes[place].lists.insert(id)
                }
                end(reader.era)
            case 60..<75:
                for id in indexes[place].lists where Bool.random(using: &generator) { indexes[place].lists.remove(id) }
            case 75..<83: copies.append(Holder(era: begin(indexes[place].era), lists: indexes[place].lists))
            case 83..<92 where !copies.isEmpty:
                end(copies.remove(at: .random(in: 0..<copies.count, using: &generator)).era)
            case 92..<96:
                let ended = present
                present = table.beginEra()
                living[present] = 1
                end(ended)
            default:
                let era = begin(present)
                for id in indexes[place].lists { try #require(table.touch(id) == true) }
                let ended = indexes[place].era
                indexes[place].era = era
                end(ended)
            }
            largest = max(largest, table.count)
            guard step % 8 == 0 else { continue }
            let isWhole = (indexes + copies + readers).allSatisfy { holder in
                holder.lists.allSatisfy { table.bytes(of: $0) == bytes[$0] }
            }
            try #require(isWhole, "seed \(seed), step \(step)")
        }
        for holder in copies + readers { end(holder.era) }
        let last = table.beginEra()
        for holder in indexes { for id in holder.lists { #expect(table.touch(id) == true) } }
        for era in living.keys.sorted() { table.endEra(era) }
        #expect(table.count == indexes.reduce(into: Set()) { $0.formUnion($1.lists) }.count)
        #expect(bytes.count > largest, "seed \(seed): nothing was let go")
        table.endEra(last)
    }

    /// As `setfacl` in a loop: before, the 4,097th was refused, and all after it for ever.
    @Test func `Very many lists of one owner, one after the other, are never more than a few`() {
        var table = AccessListTable(maximumCount: 65_536, maximumBytes: 16 << 20)
        var present = table.beginEra()
        var (largest, refused) = (0, 0)
        for number in 0..<100_000 {
            if table.intern(list(number), owner: 1) == .unknown { refused += 1 }
            if table.isDue {
                let ended = present
                present = table.beginEra()
                table.endEra(ended)
            }
            largest = max(largest, table.count)
        }
        #expect(refused == 0)
        #expect(largest <= AccessListTable.leastCount)
    }

    /// Whatever is refused then, and that is much: it is for whoever looks from time to time.
    @Test func `Where all that there is room for is in use it is not looked for each that comes`() {
        var table = AccessListTable(maximumCount: 65_536, maximumBytes: 16 << 20)
        let share = table.share(of: 1).count
        var present = table.beginEra()
        var lists = (0..<share - 1).map { table.intern(list($0), owner: 1) }
        func sweep() {
            let ended = present
            present = table.beginEra()
            for list in lists { #expect(table.touch(list) == true) }
            table.endEra(ended)
        }
        sweep()
        #expect(table.count == share - 1)
        var sweeps = 0
        for number in 0..<10_000 {
            _ = table.intern(list(100_000 + number), owner: 1)
            if table.isDue {
                sweeps += 1
                sweep()
            }
        }
        #expect(sweeps == 0 && !table.hasRoom(for: 1))
        lists = Array(lists.prefix(share / 2))
        sweep()
        #expect(table.hasRoom(for: 1))
        #expect(table.count == lists.count)
    }

    @Test func `As long as somebody lives in an era from before it is not due for each that comes`() {
        var table = AccessListTable(maximumCount: 65_536, maximumBytes: 16 << 20)
        let first = table.beginEra()
        #expect(!table.hasFormerEras)
        var present = first
        var sweeps = 0
        for number in 0..<10_000 {
            _ = table.intern(list(number), owner: 1)
            guard table.isDue else { continue }
            sweeps += 1
            let ended = present
            present = table.beginEra()
            if ended != first { table.endEra(ended) }
            #expect(!table.isDue && table.hasFormerEras)
        }
        #expect(sweeps <= 2 * AccessListTable.leastPart)
        #expect(!table.hasRoom(for: 1))
        table.endEra(first)
        #expect(table.roomMade == 1 && table.hasRoom(for: 1) && !table.hasFormerEras)
        // The lists that came of late are still few.
        #expect(table.count < table.share(of: 1).count)
    }

    @Test func `The past takes a quarter of a share`() {
        var table = AccessListTable(maximumCount: 1_600, maximumBytes: 1 << 20)
        let first = table.beginEra()
        let lists = (0..<50).map { table.intern(list($0), owner: 1) }
        let second = table.beginEra()
        #expect(table.touch(lists[0]) == true)
        var allowance = AccessListAllowance()
        func isKept(_ list: AccessListID) -> Bool { table.touch(list, since: second, allowance: &allowance) }
        #expect(isKept(lists[0]))
        for list in lists[1...25] { #expect(isKept(list)) }
        #expect(!isKept(lists[26]))
        #expect(isKept(lists[25]))
        table.endEra(first)
        #expect(table.count == 26)
    }

    // MARK: Saved lists

    @Test func `Lists that files had when it was saved have room, by whoever's share they were kept`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        for number in 0..<10 { #expect(table.restore(list(number), owner: 1) != nil) }
        #expect(table.restore([], owner: 1) == AccessListID.none)
        #expect(table.restore(table.bytes(of: .unknown), owner: 1) == .unknown)
        // Nothing was refused, but new lists count with the restored ones.
        #expect(table.hasRoom(for: 1))
        #expect(table.intern(list(11), owner: 1) == .unknown)
        #expect(table.restore(list(3), owner: 2) == table.intern(list(3), owner: 1))
        for number in 10..<64 { #expect(table.restore(list(number), owner: 1) != nil) }
        #expect(table.restore(list(64), owner: 0) == nil)
        #expect(table.hasRoom(for: 2) && table.count == 64)
    }

    /// One has three lists, another the same and three more: which of them brought those first is not known after a restart.
    @Test(arguments: [false, true]) func `Owners share the charge for what they have in common`(isFirst: Bool) {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        let lists: [UInt32: [Int]] = [1: [0, 1, 2], 2: [0, 1, 2, 10, 11, 12]]
        var handles: [(list: AccessListID, owner: UInt32)] = []
        for owner in isFirst ? [1, 2] : [2, 1] as [UInt32] {
            for number in lists[owner] ?? [] {
                guard let handle = table.restore(list(number), owner: owner) else { continue }
                handles.append((handle, owner))
            }
        }
        #expect(handles.count == 9)
        for (handle, owner) in handles { table.balance(handle, with: owner) }
        for owner in [1, 2] as [UInt32] {
            #expect(table.intern(list(100 + Int(owner)), owner: owner) != .unknown)
            #expect(table.intern(list(200 + Int(owner)), owner: owner) == .unknown)
        }
        // A list that goes is taken from the owner it is charged to.
        let era = table.beginEra()
        _ = table.beginEra()
        table.endEra(era)
        #expect(table.count == 0)
        for owner in [1, 2] as [UInt32] {
            for number in 0..<4 {
                #expect(table.intern(list(1_000 * Int(owner) + number), owner: owner) != .unknown)
            }
        }
    }

    @Test func `Lists that only the past had take a quarter of a share, of what files leave`() {
        var table = AccessListTable(maximumCount: 1_600, maximumBytes: 1 << 20)
        var allowance = AccessListAllowance()
        func isKept(_ number: Int, of owner: UInt32) -> Bool {
            table.restore(past: list(number), owner: owner, allowance: &allowance) != nil
        }
        #expect(table.restore(list(0), owner: 1) != nil)
        for number in 0...25 { #expect(isKept(number, of: 1)) }
        #expect(!isKept(26, of: 1) && isKept(25, of: 1) && isKept(26, of: 2))
        for number in 100..<200 { #expect(table.restore(list(number), owner: 3) != nil) }
        #expect(!isKept(200, of: 3) && isKept(150, of: 3))
        #expect(table.hasRoom(for: 1) && table.hasRoom(for: 3))
    }
}
