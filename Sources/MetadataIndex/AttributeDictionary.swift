// The attribute dictionary: numbers of combinations of owner, group, mode, device and access list.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Gives numbers to combinations of owner, group, mode, device and access list, and takes back those that no row has any more.
/// The combinations by number stand in the rows (`RowStore.common`), since snapshots read them there.
struct AttributeDictionary {
    /// With fewer combinations none is taken back.
    static let leastKept = 8_192

    private var numbers: [CommonAttributes: UInt32] = [:]
    /// Numbers that no row has any more, to be given again.
    private var free: [UInt32] = []
    /// With so many combinations, unused ones are taken back: twice as many as were in use the last time, or the least.
    private var most = AttributeDictionary.leastKept
    private var least = AttributeDictionary.leastKept
    /// The combination that was asked for last: neighbours share it.
    private var last: (attributes: CommonAttributes, number: UInt32)?
    /// Whether some rows may have access lists that could not be read or kept.
    private(set) var lacksAccessLists = false

    // MARK: Numbers

    /// Returns the number of a combination for a row that comes to have it.
    @inline(__always)
    mutating func number(of attributes: CommonAttributes, in rows: inout RowStore) -> UInt32 {
        if let last, last.attributes == attributes { return last.number }
        let number = numbers[attributes] ?? newNumber(of: attributes, in: &rows)
        if rows.common[Int(number)].accessList == .unknown { lacksAccessLists = true }
        last = (attributes, number)
        return number
    }

    private mutating func newNumber(of attributes: CommonAttributes, in rows: inout RowStore) -> UInt32 {
        var attributes = attributes
        if attributes.accessList.isKept {
            let (list, lease) = AccessLists.keep(attributes.accessList)
            attributes.accessList = list
            if rows.lease == nil { rows.lease = lease }
            // It was read so long ago that it was let go.
            if list == .unknown, let known = numbers[attributes] { return known }
        }
        let number: UInt32
        if let unused = free.popLast() {
            number = unused
            rows.common[Int(unused)] = attributes
        } else {
            number = UInt32(rows.common.count)
            rows.common.append(attributes)
        }
        numbers[attributes] = number
        return number
    }

    // MARK: Taking back

    /// How many numbers wait to be given again.
    var freeCount: Int { free.count }

    /// Whether unused combinations should be taken back.
    func isFull(in rows: borrowing RowStore) -> Bool { rows.common.count - free.count >= most }

    /// Takes back the numbers of combinations that `used` has no mark for. Complexity: O(combinations).
    mutating func takeBack(unlessIn used: [Bool], of rows: borrowing RowStore) {
        var used = used
        for number in free { used[Int(number)] = true }
        for (number, attributes) in rows.common.enumerated() where !used[number] {
            // Two that became the same have one number in the table.
            if numbers[attributes] == UInt32(number) { numbers[attributes] = nil }
            free.append(UInt32(number))
        }
        last = nil
        most = max(least, 2 * (rows.common.count - free.count))
    }

    /// Sets the number of combinations from which unused ones are taken back. Tests lower it.
    mutating func setLeast(_ number: Int) { (least, most) = (number, number) }

    // MARK: Access lists

    /// The access lists that combinations name. A number that is not found was taken back.
    var keptLists: [AccessListID] { numbers.keys.map(\.accessList).filter(\.isKept) }

    /// Returns the owners of rows whose access lists are unknown. Complexity: O(rows) if there were any.
    mutating func lookForAccessLists(in rows: RowStore) -> Set<UInt32> {
        guard lacksAccessLists else { return [] }
        let owners = rows.ownersLackingAccessLists
        lacksAccessLists = !owners.isEmpty
        // Forces the next row to be compared.
        last = nil
        return owners
    }

    // MARK: Other rows

    /// Takes over the combinations of another index with their numbers, unused ones included.
    mutating func take(from other: AttributeDictionary, of others: borrowing RowStore, into rows: inout RowStore) {
        (rows.common, rows.lease) = (others.common, others.lease)
        let lacks = lacksAccessLists || other.lacksAccessLists
        self = other
        last = nil
        lacksAccessLists = lacks
    }

    /// Gives a file system another device number. Returns false if no combination has the first one.
    mutating func renumber(device: UInt64, to other: UInt64, in rows: inout RowStore) -> Bool {
        guard rows.common.contains(where: { $0.device == device }) else { return false }
        for number in rows.common.indices where rows.common[number].device == device {
            rows.common[number].device = other
        }
        merge(in: &rows)
        return true
    }

    /// Makes the dictionary of restored rows.
    init(restoring rows: inout RowStore) {
        merge(in: &rows)
        lacksAccessLists = !rows.ownersLackingAccessLists.isEmpty
    }

    init() {}

    /// Files combinations by their numbers anew. Rows that have one of two that became the same get the first.
    private mutating func merge(in rows: inout RowStore) {
        last = nil
        numbers = [:]
        var isFree = [Bool](repeating: false, count: rows.common.count)
        for number in free { isFree[Int(number)] = true }
        var first: [UInt32] = []
        for (place, attributes) in rows.common.enumerated() {
            let number = UInt32(place)
            let kept = isFree[place] ? number : numbers[attributes] ?? number
            if !isFree[place] { numbers[attributes] = kept }
            first.append(kept)
        }
        guard first.enumerated().contains(where: { $0.offset != Int($0.element) }) else { return }
        for row in 0..<rows.slotCount where rows.isLive(row) {
            let number = rows.block(row).common[RowStore.slot(row)]
            if first[Int(number)] != number { rows.writable(row).common[RowStore.slot(row)] = first[Int(number)] }
        }
    }

    /// Bytes held, about.
    var byteCount: Int { numbers.capacity * 32 + free.capacity * 4 }

    // MARK: Invariants, for tests

    /// Returns the first invariant that does not hold. `used` says which numbers rows have.
    func check(_ rows: RowStore, used: [Bool]) -> String? {
        let unused = Set(free)
        guard unused.count == free.count, unused.allSatisfy({ $0 < rows.common.count }) else {
            return "free combinations \(free) of \(rows.common.count)"
        }
        for (attributes, number) in numbers
        where unused.contains(number) || rows.common[Int(number)] != attributes {
            return "combination \(number) is not \(attributes)"
        }
        for number in free where used[Int(number)] { return "combination \(number) is free and in use" }
        for number in used.indices where used[number] && numbers[rows.common[number]] == nil {
            return "combination \(number) is not found"
        }
        for attributes in numbers.keys where attributes.accessList.isKept {
            if rows.lease == nil { return "no lease" }
            if AccessLists.bytes(of: attributes.accessList) == AccessLists.bytes(of: .unknown) {
                return "a list is gone"
            }
        }
        return nil
    }
}
