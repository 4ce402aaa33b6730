// The totals of subtrees.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PackageIndex {
    /// Returns the totals of all rows below a row. Complexity: O(rows below) or O(rows of the index), a few ns each.
    func totals(
        below top: UInt32, _ rows: RowStore, _ versions: ConflictVersions, _ limits: SubtreeLimits
    ) -> PackageTotals {
        var totals = PackageTotals()
        // A sweep looks at all rows, a walk at those below, at ten times the cost of one.
        let many = max(limits.smallestSweep, Int(rows.slotCount) / 8)
        if rows.descendantCount(of: top, atMost: many) >= many {
            let all = rows.rows(below: top)
            all.forEach { totals.add(ownValues($0, rows), rows.access($0), isVersion: versions.contains($0)) }
        } else {
            rows.forEachDescendant(top) {
                totals.add(
                    ownValues($0.number, rows), rows.access($0.number), isVersion: versions.contains($0.number))
                return true
            }
        }
        return totals
    }

    /// Returns the totals of a row and all rows below it.
    func totals(
        of row: UInt32, _ rows: RowStore, _ versions: ConflictVersions, _ limits: SubtreeLimits
    ) -> PackageTotals {
        var totals = totals(below: row, rows, versions, limits)
        totals.add(ownValues(row, rows), rows.access(row), isVersion: versions.contains(row))
        return totals
    }
}
