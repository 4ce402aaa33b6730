// The invariants of packages, for tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension IndexStorage {
    /// The first thing about packages that is not as it must be. Until it was looked again which directories are packages,
    /// and until they were counted, less has to hold.
    func checkPackages() -> String? {
        for row in 0..<slots.slotCount where rows.isLive(row) {
            let isPackage = rows.kind(row) == .package
            guard isPackage == (packages[row] != nil) else { return "row \(row): whether it is a package" }
            if unsorted.isEmpty, isPackage, rows.outermostPackage(holding: rows.parent(row)) != nil {
                return "row \(row): a package in a package"
            }
            guard isPackage, unsorted.isEmpty, let state = packages[row], !state.isToBeCounted else { continue }
            if let wrong = checkPackage(row, state) { return wrong }
        }
        guard packages.keys.allSatisfy({ rows.isLive($0) }) else { return "a package that is gone" }
        var shown = 0
        rows.packages.forEach { row, _ in shown += packages[row] == nil ? 1 << 32 : 1 }
        guard shown == rows.packages.count else { return "a package that is gone is shown" }
        for row in enclosed {
            guard rows.isLive(row), rows.kind(row) == .directory else { return "row \(row): cannot be enclosed" }
            guard !unsorted.isEmpty || rows.outermostPackage(holding: rows.parent(row)) != nil else {
                return "row \(row): enclosed by nothing"
            }
        }
        return unsettled.allSatisfy { packages[$0] != nil } ? nil : "a package that is gone is to be settled"
    }

    private func checkPackage(_ row: UInt32, _ state: PackageState) -> String? {
        var totals = PackageTotals()
        rows.forEachDescendant(row) {
            totals.add(ownValues($0.number), rows.access($0.number), isVersion: versions.contains($0.number))
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
