// Which directories are packages, as they come to lie inside one or lie in one no more.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A directory inside a package is a plain directory, whatever its name. Its entries are hidden anyway, and summing up
/// nested packages would turn one write below a thousand of them into a thousand changes.
///
/// Callers that write to the index need not know this. A directory that they call a package and that lies inside one is
/// remembered in `enclosed`, and becomes a package when it lies outside, and the reverse. Directories that move across the
/// boundary are checked once per change set, so moving one to and fro costs no more. A saved index does not hold `enclosed`:
/// the loader declares each package directory again.
extension IndexStorage {
    /// Makes a plain directory of a package that is to lie in a package. Returns whether it was one.
    @inline(__always)
    func enclose(_ values: inout RowValues, in package: UInt32?) -> Bool {
        guard package != nil, values.kind == .package else { return false }
        values.kind = .directory
        return true
    }

    mutating func setEnclosed(_ row: UInt32, _ isEnclosed: Bool) {
        if isEnclosed {
            enclosed.insert(row)
        } else if !enclosed.isEmpty {
            enclosed.remove(row)
        }
    }

    private func isCandidate(_ row: UInt32) -> Bool {
        rows.kind(row) == .package || !enclosed.isEmpty && enclosed.contains(row)
    }

    /// Decides again which directories are packages, at and below those that crossed a boundary. Complexity: O(rows below
    /// them), at most O(packages × depth).
    mutating func sortPackages(isRecorded: Bool) {
        if unsorted.isEmpty { return }
        let tops = unsorted.filter { rows.isLive($0) && rows.kind($0).isDirectory }
        unsorted = []
        if tops.isEmpty || packages.isEmpty && enclosed.isEmpty { return }
        for row in candidates(below: tops).sorted() {
            let isInside = isAnyAbove(row) { isCandidate($0) }
            switch (rows.kind(row), isInside) {
            case (.package, true): demote(row, isRecorded)
            case (.directory, false): promote(row, isRecorded)
            case (.package, false):
                // It may have lain in another for a moment, which was told what happened within.
                packages[row]?.isToBeCounted = true
                unsettled.insert(row)
            default: break
            }
        }
    }

    private func isAnyAbove(_ row: UInt32, _ holds: (UInt32) -> Bool) -> Bool {
        var above = rows.parent(row)
        while above != 0 {
            if holds(above) { return true }
            above = rows.parent(above)
        }
        return false
    }

    /// Returns the rows that would be packages, at or below these directories.
    private func candidates(below tops: Set<UInt32>) -> [UInt32] {
        var found: [UInt32] = []
        let limit = packages.count + enclosed.count + mostFoundAtOnce
        var large: Set<UInt32> = []
        for top in tops where tops.count == 1 || !isAnyAbove(top, { tops.contains($0) }) {
            guard rows.descendantCount(of: top, atMost: limit) < limit else {
                large.insert(top)
                continue
            }
            if isCandidate(top) { found.append(top) }
            rows.forEachDescendant(top) { row in
                if isCandidate(row.number) { found.append(row.number) }
                return true
            }
        }
        if large.isEmpty { return found }
        func isBelowLarge(_ row: UInt32) -> Bool { large.contains(row) || isAnyAbove(row) { large.contains($0) } }
        found += packages.keys.filter(isBelowLarge)
        found += enclosed.filter(isBelowLarge)
        return found
    }

    private mutating func demote(_ row: UInt32, _ isRecorded: Bool) {
        if isRecorded { record(row) }
        var values = ownValues(row)
        values.kind = .directory
        forgetPackage(row)
        rows.writable(row).setValues(RowStore.slot(row), values)
        enclosed.insert(row)
    }

    private mutating func promote(_ row: UInt32, _ isRecorded: Bool) {
        if isRecorded { record(row) }
        var values = rows.values(row)
        values.kind = .package
        rows.writable(row).setValues(RowStore.slot(row), values)
        enclosed.remove(row)
        packages[row] = PackageState(values, isToBeCounted: true)
        unsettled.insert(row)
    }
}
