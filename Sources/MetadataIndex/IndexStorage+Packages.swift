// Packages: what is kept of them as rows within come, change, move and go.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Whatever happens to a row is told at once to the packages that it lies in, which costs a walk up to the root, and
/// nothing where there are no packages. Their columns follow when the change set is taken (``settlePackages()``), so a
/// package is one change of a set however much happens within.
extension IndexStorage {
    // MARK: Reading

    /// Values of a row as the file system has them.
    @inline(__always)
    func ownValues(_ row: UInt32) -> RowValues {
        let values = rows.values(row)
        return values.kind == .package ? packages[row]?.own(values) ?? values : values
    }

    /// The packages that lie above what a directory holds, the innermost first. Complexity: O(depth).
    func packages(aboveChildrenOf directory: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        if packages.isEmpty { return found }
        var row = directory
        while row != 0 {
            if packages[row] != nil { found.append(row) }
            row = rows.parent(row)
        }
        return found
    }

    /// The packages that a row lies in, the innermost first. Complexity: O(depth).
    func packages(above row: UInt32) -> [UInt32] {
        row == 0 ? [] : packages(aboveChildrenOf: rows.parent(row))
    }

    /// What all rows below a row have together. Complexity: O(rows below), or O(rows of the index), a few ns each.
    func totals(below top: UInt32) -> PackageTotals {
        var totals = PackageTotals()
        forEachRow(below: top) { totals.add(ownValues($0), rows.access($0)) }
        return totals
    }

    /// Calls `body` for all rows below a row, in no order: by the tree, or by all rows of the index where these are many.
    private func forEachRow(below top: UInt32, _ body: (UInt32) -> Void) {
        if isSwept(below: top) {
            let all = rows(below: top)
            all.forEach { body($0) }
        } else {
            rows.forEachDescendant(top) {
                body($0.number)
                return true
            }
        }
    }

    private func totals(of row: UInt32) -> PackageTotals {
        var totals = totals(below: row)
        totals.add(ownValues(row), rows.access(row))
        return totals
    }

    // MARK: Noting

    /// A row came, linked already, with the values that the file system gives it.
    @inline(__always)
    mutating func noteArrival(_ row: UInt32, _ values: RowValues) {
        if packages.isEmpty, values.kind != .package { return }
        noteArrival(of: row, values)
    }

    @inline(never)
    private mutating func noteArrival(of row: UInt32, _ values: RowValues) {
        let access = rows.access(row)
        for package in packages(above: row) { change(package) { $0.add(values, access) } }
        guard values.kind == .package else { return }
        packages[row] = PackageState(values)
        unsettled.insert(row)
    }

    /// A row got other values, which its columns have already.
    mutating func noteChange(_ row: UInt32, from old: RowValues, _ formerAccess: FileAccess, to new: RowValues) {
        if packages.isEmpty, new.kind != .package { return }
        let access = rows.access(row)
        for package in packages(above: row) {
            change(package) {
                $0.remove(old, formerAccess)
                $0.add(new, access)
            }
        }
        guard new.kind == .package else { return forgetPackage(row) }
        if packages[row] == nil { packages[row] = PackageState(new, totals(below: row)) }
        packages[row]?.set(new)
        unsettled.insert(row)
    }

    /// A row is about to go, with all below it.
    mutating func noteDeparture(_ row: UInt32) {
        let above = packages(above: row)
        if !above.isEmpty { leave(totals(of: row), above) }
    }

    /// All below a row is about to go.
    mutating func noteDeparture(below row: UInt32) {
        let above = packages(aboveChildrenOf: row)
        if !above.isEmpty { leave(totals(below: row), above) }
    }

    /// A row has moved, with all below it, from another directory.
    mutating func noteMove(_ row: UInt32, from directory: UInt32) {
        if packages.isEmpty { return }
        var before = packages(aboveChildrenOf: directory)
        var now = packages(above: row)
        // Of those that it lay in and lies in nothing has changed.
        while let last = before.last, last == now.last {
            before.removeLast()
            now.removeLast()
        }
        if before.isEmpty, now.isEmpty { return }
        let totals = totals(of: row)
        leave(totals, before)
        enter(totals, now)
    }

    /// Takes what a subtree has out of what it lies in, to be put with ``attach(_:_:)`` into what `other` lies in; nil
    /// where neither lies in a package.
    mutating func detach(_ row: UInt32, for other: UInt32) -> PackageTotals? {
        if packages.isEmpty { return nil }
        let above = packages(above: row)
        if above.isEmpty, packages(above: other).isEmpty { return nil }
        let totals = totals(of: row)
        leave(totals, above)
        return totals
    }

    /// Adds what a subtree has to what it lies in now.
    mutating func attach(_ row: UInt32, _ totals: PackageTotals?) {
        if let totals { enter(totals, packages(above: row)) }
    }

    /// The same of one row that goes, or is about to be another.
    mutating func detachAlone(_ row: UInt32) {
        let (values, access) = (ownValues(row), rows.access(row))
        for package in packages(above: row) { change(package) { $0.remove(values, access) } }
    }

    private mutating func leave(_ totals: PackageTotals, _ above: [UInt32]) {
        for package in above { change(package) { $0.remove(totals) } }
    }

    private mutating func enter(_ totals: PackageTotals, _ above: [UInt32]) {
        for package in above { change(package) { $0.add(totals) } }
    }

    private mutating func change(_ package: UInt32, _ body: (inout PackageTotals) -> Void) {
        guard packages[package] != nil else { return }
        body(&packages[package]!.totals)
        unsettled.insert(package)
    }

    /// A row is no package any more.
    mutating func forgetPackage(_ row: UInt32) {
        guard packages.removeValue(forKey: row) != nil else { return }
        rows.packages[row] = nil
        unsettled.remove(row)
    }

    /// Rows are no packages any more.
    mutating func forgetPackages(_ gone: borrowing RowBits) {
        if packages.isEmpty { return }
        for row in Array(packages.keys) where gone.contains(row) { forgetPackage(row) }
    }

    // MARK: Settling

    /// Gives packages the columns that follow from what happened within. Those that differ are recorded, unless nobody
    /// was told of what came.
    mutating func settlePackages() {
        if unsettled.isEmpty { return }
        let due = unsettled.sorted()
        unsettled = []
        for row in due { settle(row, isRecorded: !hasUnrecorded) }
    }

    private mutating func settle(_ row: UInt32, isRecorded: Bool) {
        if packages[row]?.totals.isOutdated ?? false { renew(row) }
        guard let state = packages[row] else { return }
        let old = rows.values(row)
        let new = state.presented(old)
        let facts = state.facts(rows.access(row))
        if new == old, rows.packages[row] == facts { return }
        if isRecorded { record(row) }
        rows.packages[row] = facts
        rows.writable(row).setValues(RowStore.slot(row), new)
    }

    /// Finds the newest in a package again, after what was the newest went or became older. Mostly that is told together
    /// with something newer, as the time of its directory, and this is not called.
    private mutating func renew(_ top: UInt32) {
        var (modified, changed) = (Int64.min, Int64.min)
        forEachRow(below: top) {
            let values = ownValues($0)
            modified = max(modified, values.modified)
            changed = max(changed, values.changed)
        }
        packages[top]?.totals.modified = modified
        packages[top]?.totals.changed = changed
        packages[top]?.totals.isOutdated = false
    }

    // MARK: Restoring

    /// Makes what follows from rows and from what was saved of their packages. Complexity: O(rows in packages, and the
    /// directories between each and its package).
    mutating func restorePackages() {
        if rows.packages.isEmpty { return }
        for (row, facts) in rows.packages {
            var own = rows.values(row)
            (own.size, own.modified, own.changed) = (facts.size, facts.modified, facts.changed)
            packages[row] = PackageState(own)
        }
        func innermost(_ row: UInt32) -> UInt32? {
            var above = rows.parent(row)
            while above != 0 {
                if packages[above] != nil { return above }
                above = rows.parent(above)
            }
            return nil
        }
        // Each row counts for the innermost of its packages, and each of these then for the next one up.
        let tops = packages.keys.filter { innermost($0) == nil }
        var nested: [UInt32] = []
        for top in tops {
            rows.forEachDescendant(top) { row in
                if packages[row.number] != nil { nested.append(row.number) }
                if let package = innermost(row.number) {
                    packages[package]!.totals.add(ownValues(row.number), rows.access(row.number))
                }
                return true
            }
        }
        for row in nested.reversed() {
            if let above = innermost(row), let totals = packages[row]?.totals { packages[above]!.totals.add(totals) }
        }
        unsettled = Set(packages.keys)
        for row in unsettled { settle(row, isRecorded: false) }
        unsettled = []
    }

    // MARK: Invariants

    /// The first thing about packages that is not as it must be.
    func checkPackages() -> String? {
        for row in 0..<slotCount where rows.isLive(row) {
            let isPackage = rows.kind(row) == .package
            guard isPackage == (packages[row] != nil) else { return "row \(row): whether it is a package" }
            guard isPackage, let state = packages[row] else { continue }
            var totals = PackageTotals()
            rows.forEachDescendant(row) {
                totals.add(ownValues($0.number), rows.access($0.number))
                return true
            }
            let kept = state.totals
            guard totals.count == kept.count, totals.size == kept.size, totals.accesses == kept.accesses else {
                return "package \(row): \(kept), not \(totals)"
            }
            let isNewest = totals.modified == kept.modified && totals.changed == kept.changed
            guard isNewest || kept.isOutdated, kept.modified >= totals.modified, kept.changed >= totals.changed else {
                return "package \(row): the newest"
            }
            if unsettled.contains(row) { continue }
            guard rows.values(row) == state.presented(rows.values(row)),
                rows.packages[row] == state.facts(rows.access(row))
            else { return "package \(row): what it is presented with" }
        }
        guard packages.keys.allSatisfy({ rows.isLive($0) }), rows.packages.keys.allSatisfy({ packages[$0] != nil })
        else { return "a package that is gone" }
        return unsettled.allSatisfy { packages[$0] != nil } ? nil : "a package that is gone is to be settled"
    }
}
