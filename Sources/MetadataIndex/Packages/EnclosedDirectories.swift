// Directories that would be packages, but lie inside one.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Remembers the directories that would be packages, but lie inside one.
///
/// A directory inside a package is a plain directory, whatever its name. Its entries are hidden anyway, and summing up
/// nested packages would turn one write below a thousand of them into a thousand changes.
///
/// Callers that write to the index need not know this. A directory that they call a package and that lies inside one is
/// remembered here, and becomes a package when it lies outside, and the reverse. Directories that move across the
/// boundary are checked once per change set, so moving one to and fro costs no more. A saved index does not hold this state:
/// the loader declares each package directory again.
struct EnclosedDirectories {
    private(set) var rows: Set<UInt32> = []
    /// Directories that are, or at or below which there may be, packages that have come to lie inside one, or lie in one no
    /// more.
    private var unsorted: Set<UInt32> = []

    var isEmpty: Bool { rows.isEmpty }
    /// Whether no directory crossed a boundary since the last ``takeUnsorted()``.
    var isSorted: Bool { unsorted.isEmpty }
    /// Bytes held, about.
    var byteCount: Int { rows.capacity * 8 }

    func contains(_ row: UInt32) -> Bool { !rows.isEmpty && rows.contains(row) }

    mutating func set(_ row: UInt32, _ isEnclosed: Bool) {
        if isEnclosed {
            rows.insert(row)
        } else if !rows.isEmpty {
            rows.remove(row)
        }
    }

    /// Notes a directory that may have crossed the boundary of a package, with all below it.
    mutating func noteCrossing(_ row: UInt32) { unsorted.insert(row) }

    /// Returns the directories that may have crossed a boundary, and forgets them.
    mutating func takeUnsorted() -> Set<UInt32> {
        defer { unsorted = [] }
        return unsorted
    }

    /// Whether a row is a package, or would be one outside of another.
    func isCandidate(_ row: UInt32, _ store: borrowing RowStore) -> Bool {
        store.kind(row) == .package || contains(row)
    }

    /// Returns the rows that would be packages, at or below these directories. `packages` are all packages. Subtrees of more rows
    /// than these, the enclosed ones and `mostFoundAtOnce` are not walked. Complexity: O(rows below), at most
    /// O(packages × depth).
    func candidates(
        below tops: Set<UInt32>, _ packages: [UInt32], _ store: RowStore, mostFoundAtOnce: Int
    ) -> [UInt32] {
        var found: [UInt32] = []
        let limit = packages.count + rows.count + mostFoundAtOnce
        var large: Set<UInt32> = []
        for top in tops where tops.count == 1 || !store.isAnyAbove(top, { tops.contains($0) }) {
            guard store.descendantCount(of: top, atMost: limit) < limit else {
                large.insert(top)
                continue
            }
            if isCandidate(top, store) { found.append(top) }
            store.forEachDescendant(top) { row in
                if isCandidate(row.number, store) { found.append(row.number) }
                return true
            }
        }
        if large.isEmpty { return found }
        func isBelowLarge(_ row: UInt32) -> Bool {
            large.contains(row) || store.isAnyAbove(row) { large.contains($0) }
        }
        found += packages.filter(isBelowLarge)
        found += rows.filter(isBelowLarge)
        return found
    }
}
