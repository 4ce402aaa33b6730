// Packages: their totals as rows within are added, changed, moved and removed.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Each change of a row is applied at once to the package that holds it. That costs a walk to the root, and nothing where
/// there are no packages. The package's columns follow when the change set is taken (``settle()``), so a package is
/// one change of a set however much happens within. Packages do not nest: a directory inside a package is a plain one
/// (`IndexStorage+Enclosed.swift`).
extension IndexStorage {
    // MARK: Reading

    /// Values of a row as the file system has them.
    @inline(__always)
    func ownValues(_ row: UInt32) -> RowValues {
        let values = rows.values(row)
        return values.kind == .package ? packages[row]?.own(values) ?? values : values
    }

    /// The package that a directory is or lies in. Complexity: O(depth).
    @inline(__always)
    func package(holding directory: UInt32) -> UInt32? {
        packages.isEmpty ? nil : rows.outermostPackage(holding: directory)
    }

    /// Returns the totals of all rows below a row. Complexity: O(rows below) or O(rows of the index), a few ns each.
    private func totals(below top: UInt32) -> PackageTotals {
        var totals = PackageTotals()
        // A sweep looks at all rows, a walk at those below, at ten times the cost of one.
        let many = max(smallestSweep, Int(slots.slotCount) / 8)
        if rows.descendantCount(of: top, atMost: many) >= many {
            let all = rows.rows(below: top)
            all.forEach { totals.add(ownValues($0), rows.access($0), isVersion: versions.contains($0)) }
        } else {
            rows.forEachDescendant(top) {
                totals.add(
                    ownValues($0.number), rows.access($0.number), isVersion: versions.contains($0.number))
                return true
            }
        }
        return totals
    }

    private func totals(of row: UInt32) -> PackageTotals {
        var totals = totals(below: row)
        totals.add(ownValues(row), rows.access(row), isVersion: versions.contains(row))
        return totals
    }

    // MARK: Noting

    /// A row came into a directory that a package holds, or none.
    @inline(__always)
    mutating func noteArrival(_ row: UInt32, _ values: RowValues, in package: UInt32?) {
        if let package {
            let (access, isVersion) = (rows.access(row), versions.contains(row))
            change(package) { $0.add(values, access, isVersion: isVersion) }
        } else if values.kind == .package {
            packages[row] = PackageState(values, isToBeCounted: false)
            unsettled.insert(row)
        }
    }

    /// A row in a package, or in none, got other values, which its columns have already.
    mutating func noteChange(
        _ row: UInt32, from old: RowValues, _ formerAccess: FileAccess, to new: RowValues, in package: UInt32?
    ) {
        let access = rows.access(row)
        if let package {
            let isVersion = versions.contains(row)
            change(package) { $0.replace(old, formerAccess, by: new, access, isVersion: isVersion) }
        }
        guard new.kind == .package else {
            if old.kind == .package {
                forgetPackage(row)
                unsorted.insert(row)
            }
            return
        }
        if packages[row] == nil {
            packages[row] = PackageState(new, isToBeCounted: true)
            unsorted.insert(row)
        }
        packages[row]?.set(new)
        unsettled.insert(row)
    }

    /// A row is about to go, with all below it.
    mutating func noteDeparture(_ row: UInt32) {
        guard row != 0, let package = package(holding: rows.parent(row)), isCounted(package) else { return }
        let totals = totals(of: row)
        change(package) { $0.remove(totals) }
    }

    /// All below a row is about to go.
    mutating func noteDeparture(below row: UInt32) {
        guard let package = package(holding: row), isCounted(package) else { return }
        let totals = totals(below: row)
        change(package) { $0.remove(totals) }
    }

    /// A row alone is about to go from a package, or to be another.
    mutating func noteDeparture(ofRow row: UInt32, from package: UInt32?) {
        guard let package else { return }
        let (values, access, isVersion) = (ownValues(row), rows.access(row), versions.contains(row))
        change(package) { $0.remove(values, access, isVersion: isVersion) }
    }

    /// Prepares a row, with everything below it, to move from one package to another; nil stands for no package. Returns the
    /// totals to pass to ``enter(_:_:)`` once the row has moved.
    mutating func leave(_ row: UInt32, from package: UInt32?, to other: UInt32?) -> PackageTotals? {
        // Where it comes from may wait to be looked at with all below, which this is no more.
        if package != other || !unsorted.isEmpty, rows.kind(row).isDirectory { unsorted.insert(row) }
        guard package != other else { return nil }
        guard rows.descendantCount(of: row, atMost: mostFoundAtOnce) < mostFoundAtOnce else {
            if let package { countAnew(package) }
            if let other { countAnew(other) }
            return nil
        }
        let totals = totals(of: row)
        if let package { change(package) { $0.remove(totals) } }
        return totals
    }

    /// See ``leave(_:from:to:)``.
    mutating func enter(_ package: UInt32?, _ totals: PackageTotals?) {
        if let package, let totals { change(package) { $0.add(totals) } }
    }

    private func isCounted(_ package: UInt32) -> Bool { packages[package]?.isToBeCounted == false }

    private mutating func countAnew(_ package: UInt32) {
        packages[package]?.isToBeCounted = true
        unsettled.insert(package)
    }

    mutating func change(_ package: UInt32, _ body: (inout PackageTotals) -> Void) {
        guard isCounted(package) else { return }
        body(&packages[package]!.totals)
        unsettled.insert(package)
    }

    /// A row is no package any more.
    mutating func forgetPackage(_ row: UInt32) {
        guard packages.removeValue(forKey: row) != nil else { return }
        rows.packages[row] = nil
        unsettled.remove(row)
        if !rows.conflicts.isEmpty, rows.conflicts[row] != nil { noteInside(row) }
    }

    /// Rows are gone.
    mutating func forgetPackages(_ gone: borrowing RowBits) {
        if packages.isEmpty, enclosed.isEmpty { return }
        if gone.count < packages.count + enclosed.count {
            gone.forEach {
                forgetPackage($0)
                enclosed.remove($0)
            }
        } else {
            for row in Array(packages.keys) where gone.contains(row) { forgetPackage(row) }
            for row in enclosed where gone.contains(row) { enclosed.remove(row) }
        }
    }

    /// Bytes held.
    var packagesByteCount: Int {
        let stride = MemoryLayout<PackageState>.stride + 8
        let accesses = packages.values.reduce(0) {
            $0 + $1.totals.accesses.capacity * (MemoryLayout<FileAccess>.stride + 8)
        }
        return packages.capacity * stride + accesses + enclosed.capacity * 8 + rows.packages.byteCount
            + rows.packages.accessBytes
    }

    // MARK: Settling

    /// Whether columns or numbers of conflict versions are out of date.
    var hasUnsettled: Bool { !unsettled.isEmpty || !unsorted.isEmpty || !versions.unsettled.isEmpty }

    /// Updates what follows from other rows: the columns of packages, then the numbers of conflict versions. Complexity: that
    /// of both.
    mutating func settle() {
        settlePackages()
        settleConflicts()
        settleSync()
    }

    /// Updates the columns of packages whose entries changed. Differences are recorded, unless the entries were added
    /// unrecorded. Complexity: packages do not overlap, so at most a few ns for each row of the index.
    private mutating func settlePackages() {
        if unsettled.isEmpty, unsorted.isEmpty { return }
        sortPackages(isRecorded: !recorder.hasUnrecorded)
        let due = unsettled.sorted()
        unsettled = []
        for row in due { settle(row, isRecorded: !recorder.hasUnrecorded) }
    }

    private mutating func settle(_ row: UInt32, isRecorded: Bool) {
        guard let kept = packages[row] else { return }
        // Outdated is rare: mostly that the newest went is told together with something newer, as the time of its directory.
        if kept.isToBeCounted || kept.totals.isOutdated {
            let totals = totals(below: row)
            packages[row]?.totals = totals
            packages[row]?.isToBeCounted = false
        }
        guard let state = packages[row] else { return }
        if state.totals.versions > 0 || rows.conflicts[row] != nil { noteInside(row) }
        let old = rows.values(row)
        let new = state.presented(old)
        let facts = state.facts(rows.access(row))
        if new == old, rows.packages[row] == facts { return }
        if isRecorded { record(row) }
        rows.packages[row] = facts
        rows.writable(row).setValues(RowStore.slot(row), new)
    }

    // MARK: Restoring

    /// Computes derived state of packages from rows and the saved facts. Complexity: O(rows in packages).
    mutating func restorePackages() {
        if rows.packages.isEmpty { return }
        rows.packages.forEach { row, facts in
            var own = rows.values(row)
            (own.size, own.modified, own.changed) = (facts.size, facts.modified, facts.changed)
            packages[row] = PackageState(own, isToBeCounted: true)
        }
        for row in packages.keys.sorted() { settle(row, isRecorded: false) }
    }
}
