// Packages: their totals as rows within are added, changed, moved and removed.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The totals of each package, and which directories are packages.
///
/// Each change of a row is applied at once to the package that holds it. That costs a walk to the root, and nothing where
/// there are no packages. The package's columns follow when the change set is taken (``settle(_:_:_:_:)``), so a package is
/// one change of a set however much happens within. Packages do not nest (``EnclosedDirectories``).
struct PackageIndex {
    /// The state of each package.
    private(set) var states: [UInt32: PackageState] = [:]
    /// The packages whose columns are out of date.
    private(set) var unsettled: Set<UInt32> = []
    private(set) var enclosed = EnclosedDirectories()

    var isEmpty: Bool { states.isEmpty }
    /// Whether columns, or which directories are packages, are out of date.
    var hasUnsettled: Bool { !unsettled.isEmpty || !enclosed.isSorted }

    /// Bytes held, without the column of facts.
    var byteCount: Int {
        let stride = MemoryLayout<PackageState>.stride + 8
        let accesses = states.values.reduce(0) {
            $0 + $1.totals.accesses.capacity * (MemoryLayout<FileAccess>.stride + 8)
        }
        return states.capacity * stride + accesses + enclosed.byteCount
    }

    // MARK: Reading

    /// Returns the values of a row as the file system has them.
    @inline(__always)
    func ownValues(_ row: UInt32, _ rows: borrowing RowStore) -> RowValues {
        let values = rows.values(row)
        return values.kind == .package ? states[row]?.own(values) ?? values : values
    }

    /// Returns the package that a directory is or lies in. Complexity: O(depth).
    @inline(__always)
    func package(holding directory: UInt32, _ rows: borrowing RowStore) -> UInt32? {
        states.isEmpty ? nil : rows.outermostPackage(holding: directory)
    }

    // MARK: Rows that come and change

    /// Makes a plain directory of a package that is to lie in a package, and remembers it.
    @inline(__always)
    mutating func enclose(_ row: UInt32, _ values: inout RowValues, in package: UInt32?, isNew: Bool) {
        if package != nil, values.kind == .package {
            values.kind = .directory
            enclosed.set(row, true)
        } else if !isNew {
            enclosed.set(row, false)
        }
    }

    /// Notes a row that came into a directory that a package holds, or none.
    @inline(__always)
    mutating func noteArrival(
        _ row: UInt32, _ values: RowValues, in package: UInt32?, _ rows: borrowing RowStore,
        _ versions: borrowing ConflictVersions
    ) {
        if let package {
            let (access, isVersion) = (rows.access(row), versions.contains(row))
            change(package) { $0.add(values, access, isVersion: isVersion) }
        } else if values.kind == .package {
            states[row] = PackageState(values, isToBeCounted: false)
            unsettled.insert(row)
        }
    }

    /// Notes that a row in a package, or in none, got other values, which its columns have already.
    @inline(__always)
    mutating func noteChange(
        _ row: UInt32, from old: RowValues, _ formerAccess: FileAccess, to new: RowValues, in package: UInt32?,
        _ rows: inout RowStore, _ versions: inout ConflictVersions
    ) {
        if let package {
            let (access, isVersion) = (rows.access(row), versions.contains(row))
            change(package) { $0.replace(old, formerAccess, by: new, access, isVersion: isVersion) }
        }
        if new.kind == .package {
            notePackage(row, new)
        } else if old.kind == .package {
            forget(row, &rows, &versions)
            enclosed.noteCrossing(row)
        }
    }

    private mutating func notePackage(_ row: UInt32, _ own: RowValues) {
        if states[row] == nil {
            states[row] = PackageState(own, isToBeCounted: true)
            enclosed.noteCrossing(row)
        }
        states[row]?.set(own)
        unsettled.insert(row)
    }

    /// Notes that a row in a package became a conflict version, or ceased to be one.
    mutating func noteVersion(in package: UInt32, isVersion: Bool) {
        change(package) { $0.addVersions(isVersion ? 1 : -1) }
    }

    /// Puts the package that replaced a row in its place; nil if the new entry is no package.
    mutating func noteReplacement(_ row: UInt32, by state: PackageState?, isDirectory: Bool) {
        if let state {
            states[row] = state
            unsettled.insert(row)
        }
        if isDirectory { enclosed.noteCrossing(row) }
    }

    private func isCounted(_ package: UInt32) -> Bool { states[package]?.isToBeCounted == false }

    private mutating func countAnew(_ package: UInt32) {
        states[package]?.isToBeCounted = true
        unsettled.insert(package)
    }

    private mutating func change(_ package: UInt32, _ body: (inout PackageTotals) -> Void) {
        guard isCounted(package) else { return }
        body(&states[package]!.totals)
        unsettled.insert(package)
    }

    // MARK: Rows that move and go

    /// Notes that a row is about to go, with all below it.
    mutating func noteDeparture(
        _ row: UInt32, _ rows: RowStore, _ versions: ConflictVersions, _ limits: SubtreeLimits
    ) {
        guard row != 0, let package = package(holding: rows.parent(row), rows), isCounted(package) else { return }
        let totals = totals(of: row, rows, versions, limits)
        change(package) { $0.remove(totals) }
    }

    /// Notes that all below a row is about to go.
    mutating func noteDeparture(
        below row: UInt32, _ rows: RowStore, _ versions: ConflictVersions, _ limits: SubtreeLimits
    ) {
        guard let package = package(holding: row, rows), isCounted(package) else { return }
        let totals = totals(below: row, rows, versions, limits)
        change(package) { $0.remove(totals) }
    }

    /// Notes that a row alone is about to go from a package, or to be another.
    mutating func noteDeparture(
        ofRow row: UInt32, from package: UInt32?, _ rows: borrowing RowStore, _ versions: borrowing ConflictVersions
    ) {
        guard let package else { return }
        let (values, access, isVersion) = (ownValues(row, rows), rows.access(row), versions.contains(row))
        change(package) { $0.remove(values, access, isVersion: isVersion) }
    }

    /// Prepares a row, with everything below it, to move from one package to another; nil stands for no package. Returns the
    /// totals to pass to ``enter(_:_:)`` once the row has moved.
    mutating func leave(
        _ row: UInt32, from package: UInt32?, to other: UInt32?, _ rows: RowStore, _ versions: ConflictVersions,
        _ limits: SubtreeLimits
    ) -> PackageTotals? {
        // Where it comes from may wait to be looked at with all below, which this is no more.
        if package != other || !enclosed.isSorted, rows.kind(row).isDirectory { enclosed.noteCrossing(row) }
        guard package != other else { return nil }
        guard rows.descendantCount(of: row, atMost: limits.mostFoundAtOnce) < limits.mostFoundAtOnce else {
            if let package { countAnew(package) }
            if let other { countAnew(other) }
            return nil
        }
        let totals = totals(of: row, rows, versions, limits)
        if let package { change(package) { $0.remove(totals) } }
        return totals
    }

    /// See ``leave(_:from:to:_:_:_:)``.
    mutating func enter(_ package: UInt32?, _ totals: PackageTotals?) {
        if let package, let totals { change(package) { $0.add(totals) } }
    }

    /// Forgets a package that is none any more. An enclosed directory stays one.
    mutating func forget(_ row: UInt32, _ rows: inout RowStore, _ versions: inout ConflictVersions) {
        guard states.removeValue(forKey: row) != nil else { return }
        rows.packages[row] = nil
        unsettled.remove(row)
        if !rows.conflicts.isEmpty, rows.conflicts[row] != nil { versions.noteInside(row) }
    }

    /// Forgets rows that are gone.
    mutating func forgetAll(_ gone: borrowing RowBits, _ rows: inout RowStore, _ versions: inout ConflictVersions) {
        if states.isEmpty, enclosed.isEmpty { return }
        for row in Array(states.keys) where gone.contains(row) { forget(row, &rows, &versions) }
        for row in enclosed.rows where gone.contains(row) { enclosed.set(row, false) }
    }

    /// Forgets a row that is gone.
    @inline(__always)
    mutating func forgetRow(_ row: UInt32, _ rows: inout RowStore, _ versions: inout ConflictVersions) {
        if !states.isEmpty { forget(row, &rows, &versions) }
        if !enclosed.isEmpty { enclosed.set(row, false) }
    }

    /// Remembers whether a row that another replaced is enclosed, as that one was.
    mutating func takeEnclosure(_ row: UInt32, from other: UInt32) { enclosed.set(row, enclosed.contains(other)) }

    // MARK: Settling

    /// Updates the columns of packages whose entries changed. Differences are recorded, unless entries were added
    /// unrecorded. Complexity: packages do not overlap, so at most a few ns for each row of the index.
    mutating func settle(
        _ rows: inout RowStore, _ versions: inout ConflictVersions, _ recorder: inout ChangeRecorder,
        _ limits: SubtreeLimits
    ) {
        if !hasUnsettled { return }
        sort(&rows, &versions, &recorder, limits)
        let due = unsettled.sorted()
        unsettled = []
        for row in due { settle(row, &rows, &versions, &recorder, limits) }
    }

    private mutating func settle(
        _ row: UInt32, _ rows: inout RowStore, _ versions: inout ConflictVersions, _ recorder: inout ChangeRecorder,
        _ limits: SubtreeLimits
    ) {
        guard let kept = states[row] else { return }
        // Outdated is rare: mostly that the newest went is told together with something newer, as the time of its directory.
        if kept.isToBeCounted || kept.totals.isOutdated {
            let totals = totals(below: row, rows, versions, limits)
            states[row]?.totals = totals
            states[row]?.isToBeCounted = false
        }
        guard let state = states[row] else { return }
        if state.totals.versions > 0 || rows.conflicts[row] != nil { versions.noteInside(row) }
        let old = rows.values(row)
        let new = state.presented(old)
        let facts = state.facts(rows.access(row))
        if new == old, rows.packages[row] == facts { return }
        recorder.recordDerived(row, of: rows)
        rows.packages[row] = facts
        rows.writable(row).setValues(RowStore.slot(row), new)
    }

    /// Computes the state of packages from restored rows and the saved facts. Complexity: O(rows in packages).
    mutating func restore(_ rows: inout RowStore, _ versions: inout ConflictVersions) {
        if rows.packages.isEmpty { return }
        rows.packages.forEach { row, facts in
            var own = rows.values(row)
            (own.size, own.modified, own.changed) = (facts.size, facts.modified, facts.changed)
            states[row] = PackageState(own, isToBeCounted: true)
        }
        var unrecorded = ChangeRecorder()
        unrecorded.noteUnrecorded()
        for row in states.keys.sorted() { settle(row, &rows, &versions, &unrecorded, SubtreeLimits()) }
    }

    // MARK: Which directories are packages

    /// Decides again which directories are packages, at and below those that crossed a boundary. Complexity: O(rows below
    /// them), at most O(packages × depth).
    private mutating func sort(
        _ rows: inout RowStore, _ versions: inout ConflictVersions, _ recorder: inout ChangeRecorder,
        _ limits: SubtreeLimits
    ) {
        let tops = enclosed.takeUnsorted().filter { rows.isLive($0) && rows.kind($0).isDirectory }
        if tops.isEmpty || states.isEmpty && enclosed.isEmpty { return }
        let due = enclosed.candidates(below: tops, Array(states.keys), rows, mostFoundAtOnce: limits.mostFoundAtOnce)
        for row in due.sorted() {
            switch (rows.kind(row), rows.isAnyAbove(row) { enclosed.isCandidate($0, rows) }) {
            case (.package, true):
                recorder.recordDerived(row, of: rows)
                var values = ownValues(row, rows)
                values.kind = .directory
                forget(row, &rows, &versions)
                rows.writable(row).setValues(RowStore.slot(row), values)
                enclosed.set(row, true)
            case (.directory, false):
                recorder.recordDerived(row, of: rows)
                var values = rows.values(row)
                values.kind = .package
                rows.writable(row).setValues(RowStore.slot(row), values)
                enclosed.set(row, false)
                states[row] = PackageState(values, isToBeCounted: true)
                unsettled.insert(row)
            case (.package, false):
                // It may have lain in another for a moment, which got the changes within.
                countAnew(row)
            default: break
            }
        }
    }
}
