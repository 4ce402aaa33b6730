// The table of access lists: what is kept, and whose share is taken.
// SPDX-License-Identifier: Apache-2.0

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

    @Test func `An owner has a sixteenth of the lists, and nobody else notices`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        for number in 0..<4 { #expect(table.intern(list(number), owner: 1) != .unknown) }
        #expect(table.ownersPastShare.isEmpty)
        for number in 4..<1_000 { #expect(table.intern(list(number), owner: 1) == .unknown) }
        #expect(table.ownersPastShare == [1])
        #expect(table.intern(list(0), owner: 1) != .unknown)
        #expect(table.intern(list(2_000), owner: 2) != .unknown)
        // What others brought counts for everybody's files.
        #expect(table.intern(list(2_000), owner: 1) != .unknown)
        #expect(table.ownersPastShare == [1])
    }

    @Test func `An owner has a sixteenth of the bytes`() {
        let size = list(0, entries: 10).count
        var table = AccessListTable(maximumCount: 1_000, maximumBytes: 16 * (3 * size))
        for number in 0..<3 { #expect(table.intern(list(number * 100, entries: 10), owner: 1) != .unknown) }
        #expect(table.intern(list(9_000), owner: 1) == .unknown)
        #expect(table.ownersPastShare == [1])
        #expect(table.intern(list(9_000), owner: 2) != .unknown)
    }

    @Test func `Root has no share but the whole`() {
        var table = AccessListTable(maximumCount: 64, maximumBytes: 1 << 20)
        for number in 0..<64 { #expect(table.intern(list(number), owner: 0) != .unknown) }
        #expect(table.intern(list(64), owner: 0) == .unknown)
        #expect(table.intern(list(64), owner: 1) == .unknown)
        #expect(table.ownersPastShare.isEmpty)
        #expect(table.count == 64)
    }

    @Test func `All lists together have so many bytes`() {
        let size = list(0).count
        var table = AccessListTable(maximumCount: 1_000, maximumBytes: 5 * size)
        for number in 0..<5 { #expect(table.intern(list(number), owner: 0) != .unknown) }
        #expect(table.intern(list(5), owner: 0) == .unknown)
        #expect(table.intern(list(4), owner: 0) != .unknown)
    }
}
