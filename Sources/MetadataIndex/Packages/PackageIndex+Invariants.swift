// The invariants of packages, for tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension PackageIndex {
    /// Returns the first invariant that does not hold. Until it was decided again which directories are packages, and until they
    /// were counted, less has to hold.
    func check(_ rows: RowStore, _ versions: ConflictVersions) -> String? {
        for row in 0..<rows.slotCount where rows.isLive(row) {
            let isPackage = rows.kind(row) == .package
            guard isPackage == (states[row] != nil) else { return "row \(row): whether it is a package" }
            if enclosed.isSorted, isPackage, rows.outermostPackage(holding: rows.parent(row)) != nil {
                return "row \(row): a package in a package"
            }
            guard isPackage, enclosed.isSorted, let state = states[row], !state.isToBeCounted else { continue }
            if let wrong = check(row, state, rows, versions) { return wrong }
        }
        guard states.keys.allSatisfy({ rows.isLive($0) }) else { return "a package that is gone" }
        var shown = 0
        rows.packages.forEach { row, _ in shown += states[row] == nil ? 1 << 32 : 1 }
        guard shown == rows.packages.count else { return "a package that is gone is shown" }
        for row in enclosed.rows {
            guard rows.isLive(row), rows.kind(row) == .directory else { return "row \(row): cannot be enclosed" }
            guard !enclosed.isSorted || rows.outermostPackage(holding: rows.parent(row)) != nil else {
                return "row \(row): enclosed by nothing"
            }
        }
        return unsettled.allSatisfy { states[$0] != nil } ? nil : "a package that is gone is to be settled"
    }

    private func check(_ row: UInt32, _ state: PackageState, _ rows: RowStore, _ versions: ConflictVersions) -> String?
    {
        var totals = PackageTotals()
        rows.forEachDescendant(row) {
            totals.add(
                ownValues($0.number, rows), rows.access($0.number), isVersion: versions.contains($0.number))
            return true
        }
        let kept = state.totals
        guard totals.count == kept.count, totals.size == kept.size, totals.accesses == kept.accesses,
            totals.versions == kept.versions
        else {
            return "package \(row): \(kept), not \(totals)"
        }
        guard totals.modified == kept.modified || kept.isModifiedOutdated && kept.modified > totals.modified,
            totals.changed == kept.changed || kept.isChangedOutdated && kept.changed > totals.changed
        else { return "package \(row): the newest" }
        if unsettled.contains(row) { return nil }
        guard rows.values(row) == state.presented(rows.values(row)),
            rows.packages[row] == state.facts(rows.access(row))
        else { return "package \(row): what it is presented with" }
        return nil
    }
}
