// The totals of a set of rows.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The totals of the rows within a package, at any depth.
struct PackageTotals: Equatable {
    private(set) var count = 0
    /// The size of regular files.
    private(set) var size: Int128 = 0
    /// The number of conflict versions.
    private(set) var versions = 0
    /// The newest; where one went that was as new, no older than the newest.
    private(set) var modified = Int64.min
    private(set) var changed = Int64.min
    /// Whether one went that may have been the newest. Each time has its own: a file from the future among the times of
    /// content must not have the package looked through whenever an inode changes.
    private(set) var isModifiedOutdated = false
    private(set) var isChangedOutdated = false
    /// How many directories grant each access. Packages do not overlap, so all of these tables together are no larger
    /// than there are directories.
    private(set) var accesses: [FileAccess: Int] = [:]

    var isOutdated: Bool { isModifiedOutdated || isChangedOutdated }

    /// Adds a row, with the values that the file system gives it.
    mutating func add(_ values: RowValues, _ access: FileAccess, isVersion: Bool = false) {
        count += 1
        if isVersion { versions += 1 }
        if values.kind == .file { size += Int128(values.size) }
        if values.kind.isDirectory { accesses[access, default: 0] += 1 }
        gain(values.modified, values.changed)
    }

    /// Takes a row away that was added with these values.
    mutating func remove(_ values: RowValues, _ access: FileAccess, isVersion: Bool = false) {
        count -= 1
        if isVersion { versions -= 1 }
        if values.kind == .file { size -= Int128(values.size) }
        if values.kind.isDirectory { release(access, 1) }
        lose(values.modified, values.changed)
    }

    /// Gives a row that was added other values.
    mutating func replace(
        _ old: RowValues, _ formerAccess: FileAccess, by new: RowValues, _ access: FileAccess,
        isVersion: Bool = false
    ) {
        remove(old, formerAccess, isVersion: isVersion)
        add(new, access, isVersion: isVersion)
    }

    /// Counts more conflict versions among the rows, or fewer.
    mutating func addVersions(_ number: Int) { versions += number }

    mutating func add(_ other: PackageTotals) {
        if other.count == 0 { return }
        count += other.count
        size += other.size
        versions += other.versions
        for (access, count) in other.accesses { accesses[access, default: 0] += count }
        gain(other.modified, other.changed)
    }

    mutating func remove(_ other: PackageTotals) {
        if other.count == 0 { return }
        count -= other.count
        size -= other.size
        versions -= other.versions
        for (access, count) in other.accesses { release(access, count) }
        lose(other.modified, other.changed)
    }

    private mutating func release(_ access: FileAccess, _ number: Int) {
        let left = (accesses[access] ?? 0) - number
        accesses[access] = left > 0 ? left : nil
    }

    /// Restores a known maximum: a time no older than all earlier ones replaces a removed maximum.
    private mutating func gain(_ modified: Int64, _ changed: Int64) {
        if modified >= self.modified { (self.modified, isModifiedOutdated) = (modified, false) }
        if changed >= self.changed { (self.changed, isChangedOutdated) = (changed, false) }
    }

    private mutating func lose(_ modified: Int64, _ changed: Int64) {
        if modified >= self.modified { isModifiedOutdated = true }
        if changed >= self.changed { isChangedOutdated = true }
        if count == 0 { self = PackageTotals() }
    }
}
