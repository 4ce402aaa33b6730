// The attribute dictionary, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct AttributeDictionaryTests {
    private var rows = RowStore()
    private var dictionary = AttributeDictionary()

    private static func attributes(owner: UInt32, device: UInt64 = 7) -> CommonAttributes {
        var status = FileStatus.sample(.file, device: device)
        status.owner = owner
        return CommonAttributes(status)
    }

    private mutating func number(owner: UInt32, device: UInt64 = 7) -> UInt32 {
        dictionary.number(of: Self.attributes(owner: owner, device: device), in: &rows)
    }

    @Test mutating func `A combination has one number, by which the rows have it`() {
        let first = number(owner: 1)
        let second = number(owner: 2)
        #expect(first != second && number(owner: 1) == first && number(owner: 2) == second)
        #expect(rows.common.map(\.owner) == [1, 2])
        #expect(dictionary.check(rows, used: [true, true]) == nil)
    }

    @Test mutating func `Numbers that no row has are given again once there are many combinations`() {
        for owner in 0..<3 as Range<UInt32> { _ = number(owner: owner) }
        #expect(!dictionary.isFull(in: rows))
        dictionary.setLeast(2)
        #expect(dictionary.isFull(in: rows))
        dictionary.takeBack(unlessIn: [false, true, true], of: rows)
        #expect(dictionary.freeCount == 1 && !dictionary.isFull(in: rows))
        #expect(dictionary.check(rows, used: [false, true, true]) == nil)
        #expect(number(owner: 9) == 0 && rows.common.map(\.owner) == [9, 1, 2] && dictionary.freeCount == 0)
        // Twice as many as were in use are kept.
        _ = number(owner: 10)
        #expect(dictionary.isFull(in: rows))
    }

    @Test mutating func `A combination that was taken back is not found any more, though it was the last one`() {
        _ = number(owner: 1)
        let last = number(owner: 2)
        dictionary.takeBack(unlessIn: [true, false], of: rows)
        #expect(dictionary.check(rows, used: [true, false]) == nil)
        #expect(number(owner: 2) == last && dictionary.freeCount == 0)
    }

    @Test mutating func `Rows with combinations that become the same get the first one`() throws {
        rows = try RowStore.files(["a", "b"])
        dictionary = AttributeDictionary(restoring: &rows)
        let other = number(owner: 1_000, device: 8)
        rows.writable(2).common[2] = other
        #expect(!dictionary.renumber(device: 9, to: 7, in: &rows))
        #expect(dictionary.renumber(device: 8, to: 7, in: &rows))
        #expect(rows.values(2).common == rows.values(1).common && rows.status(2).device == 7)
        #expect(dictionary.check(rows, used: rows.usedAttributes()) == nil)
    }

    @Test mutating func `Unknown access lists are noticed until a look finds none`() {
        #expect(!dictionary.lacksAccessLists)
        var attributes = Self.attributes(owner: 1)
        attributes.accessList = .unknown
        _ = dictionary.number(of: attributes, in: &rows)
        #expect(dictionary.lacksAccessLists)
        // No row has it yet.
        #expect(dictionary.lookForAccessLists(in: rows).isEmpty && !dictionary.lacksAccessLists)
        _ = dictionary.number(of: attributes, in: &rows)
        #expect(dictionary.lacksAccessLists)
    }

    @Test mutating func `Another index gets all numbers, unused ones too`() {
        for owner in 0..<3 as Range<UInt32> { _ = number(owner: owner) }
        dictionary.takeBack(unlessIn: [true, false, true], of: rows)
        var others = RowStore()
        var other = AttributeDictionary()
        _ = other.number(of: Self.attributes(owner: 2), in: &others)
        other.take(from: dictionary, of: rows, into: &others)
        #expect(others.common == rows.common && other.freeCount == 1)
        #expect(other.number(of: Self.attributes(owner: 2), in: &others) == 2)
        #expect(other.number(of: Self.attributes(owner: 5), in: &others) == 1)
    }
}
