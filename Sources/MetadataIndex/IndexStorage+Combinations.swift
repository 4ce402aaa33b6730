// The numbers of combinations of owner, group, mode, device and access list, given to rows and taken back.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
    /// With fewer combinations none is taken back.
    static let leastCombinations = 8_192

    /// The number of a combination, for a row that comes to have it.
    @inline(__always)
    mutating func number(of attributes: CommonAttributes) -> UInt32 {
        if let last = lastCommon, last.attributes == attributes { return last.number }
        let number = commonNumbers[attributes] ?? newNumber(of: attributes)
        if rows.common[Int(number)].accessList == .unknown { lacksAccessLists = true }
        lastCommon = (attributes, number)
        return number
    }

    private mutating func newNumber(of attributes: CommonAttributes) -> UInt32 {
        var attributes = attributes
        if attributes.accessList.isKept {
            let (list, lease) = AccessLists.keep(attributes.accessList)
            attributes.accessList = list
            if rows.lease == nil { rows.lease = lease }
            // It was read so long ago that it was let go.
            if list == .unknown, let known = commonNumbers[attributes] { return known }
        }
        let number: UInt32
        if let free = freeCommon.popLast() {
            number = free
            rows.common[Int(free)] = attributes
        } else {
            number = UInt32(rows.common.count)
            rows.common.append(attributes)
        }
        commonNumbers[attributes] = number
        return number
    }

    /// Whether it is time to look which combinations are in use.
    var hasManyCombinations: Bool { rows.common.count - freeCommon.count >= mostCombinations }

    /// Which numbers rows have, those that are parked too.
    private var usedCombinations: [Bool] {
        var used = rows.usedCombinations()
        guard let parked = parked?.content.rows.usedCombinations() else { return used }
        for place in parked.indices where parked[place] { used[place] = true }
        return used
    }

    /// Takes back the numbers of combinations that no row has any more. False, and nothing is done, where there are changes
    /// that were not taken. Complexity: O(rows), 4 ns each, and O(combinations).
    mutating func tidyCombinations() -> Bool {
        // Open changes use numbers until they are in the log, and a package may name lists that no row within has any more.
        guard recorder.open.isEmpty, !hasUnsettled else { return false }
        var used = usedCombinations
        for number in freeCommon { used[Int(number)] = true }
        for (number, attributes) in rows.common.enumerated() where !used[number] {
            // Two that became the same have one number in the table.
            if commonNumbers[attributes] == UInt32(number) { commonNumbers[attributes] = nil }
            freeCommon.append(UInt32(number))
        }
        lastCommon = nil
        mostCombinations = max(leastCombinations, 2 * (rows.common.count - freeCommon.count))
        return true
    }

    /// Takes a lease for the access lists that rows have, right after a scan for them, and for those that the change log
    /// names. The log drops segments that name more than allowed. All other lists may be freed.
    mutating func keepLists(_ allowance: inout AccessListAllowance) {
        guard rows.lease != nil else { return }
        let lease = AccessLists.lease()
        // A number that is not found was taken back. Found before the table of lists is locked, which all threads need.
        let lists = commonNumbers.keys.map(\.accessList).filter(\.isKept)
        AccessLists.keep(lists)
        var isNamed = !lists.isEmpty
        recorder.shortenLog { past in
            let isKept = AccessLists.keep(past: past.map(\.accessList), under: lease, allowance: &allowance)
            if isKept { isNamed = true }
            return isKept
        }
        rows.lease = isNamed ? lease : nil
        parked?.content.rows.lease = rows.lease
    }

    /// Copies the combinations of another index with their numbers, unused ones included.
    mutating func takeCombinations(from other: borrowing IndexStorage) {
        rows.common = other.rows.common
        rows.lease = other.rows.lease
        commonNumbers = other.commonNumbers
        lastCommon = nil
        freeCommon = other.freeCommon
        (leastCombinations, mostCombinations) = (other.leastCombinations, other.mostCombinations)
    }

    /// Files combinations by their numbers anew; rows that have one of two that became the same get the first.
    mutating func mergeCommon() {
        lastCommon = nil
        commonNumbers = [:]
        var isFree = [Bool](repeating: false, count: rows.common.count)
        for number in freeCommon { isFree[Int(number)] = true }
        var first: [UInt32] = []
        for (place, attributes) in rows.common.enumerated() {
            let number = UInt32(place)
            let kept = isFree[place] ? number : commonNumbers[attributes] ?? number
            if !isFree[place] { commonNumbers[attributes] = kept }
            first.append(kept)
        }
        guard first.enumerated().contains(where: { $0.offset != Int($0.element) }) else { return }
        for row in 0..<slotCount where rows.isLive(row) {
            let number = rows.block(row).common[RowStore.slot(row)]
            if first[Int(number)] != number { rows.writable(row).common[RowStore.slot(row)] = first[Int(number)] }
        }
    }

    /// Checks the invariants of combinations, for tests.
    func checkCombinations() -> String? {
        let free = Set(freeCommon)
        guard free.count == freeCommon.count, free.allSatisfy({ $0 < rows.common.count }) else {
            return "free combinations \(freeCommon) of \(rows.common.count)"
        }
        for (attributes, number) in commonNumbers
        where free.contains(number) || rows.common[Int(number)] != attributes {
            return "combination \(number) is not \(attributes)"
        }
        let used = usedCombinations
        for number in free where used[Int(number)] { return "combination \(number) is free and in use" }
        for number in used.indices where used[number] && commonNumbers[rows.common[number]] == nil {
            return "combination \(number) is not found"
        }
        for attributes in commonNumbers.keys where attributes.accessList.isKept {
            if rows.lease == nil { return "no lease" }
            if AccessLists.bytes(of: attributes.accessList) == AccessLists.bytes(of: .unknown) {
                return "a list is gone"
            }
        }
        return nil
    }
}
