// What rows have together.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// What some rows have together: those that lie within a package, however deep.
struct PackageTotals: Equatable {
    private(set) var count = 0
    /// Of regular files. 2^32 sizes of 63 bits never overflow it.
    private(set) var size: Int128 = 0
    /// The newest; where one went that was as new, no older than the newest.
    var modified = Int64.min
    var changed = Int64.min
    /// Whether one went that may have been the newest.
    var isOutdated = false
    /// How many directories grant what.
    private(set) var accesses: [FileAccess: Int] = [:]

    /// Adds a row, with the values that the file system gives it.
    mutating func add(_ values: RowValues, _ access: FileAccess) {
        count += 1
        if values.kind == .file { size += Int128(values.size) }
        if values.kind.isDirectory { accesses[access, default: 0] += 1 }
        // What is no older than all that were there makes up for what went.
        if values.modified >= modified, values.changed >= changed { isOutdated = false }
        modified = max(modified, values.modified)
        changed = max(changed, values.changed)
    }

    /// Takes a row away that was added with these values.
    mutating func remove(_ values: RowValues, _ access: FileAccess) {
        count -= 1
        if values.kind == .file { size -= Int128(values.size) }
        if values.kind.isDirectory { release(access, 1) }
        lose(values.modified, values.changed)
    }

    mutating func add(_ other: PackageTotals) {
        if other.count == 0 { return }
        count += other.count
        size += other.size
        for (access, count) in other.accesses { accesses[access, default: 0] += count }
        if other.isOutdated {
            isOutdated = true
        } else if other.modified >= modified, other.changed >= changed {
            isOutdated = false
        }
        modified = max(modified, other.modified)
        changed = max(changed, other.changed)
    }

    mutating func remove(_ other: PackageTotals) {
        if other.count == 0 { return }
        count -= other.count
        size -= other.size
        for (access, count) in other.accesses { release(access, count) }
        lose(other.modified, other.changed)
    }

    private mutating func release(_ access: FileAccess, _ number: Int) {
        let left = (accesses[access] ?? 0) - number
        accesses[access] = left > 0 ? left : nil
    }

    private mutating func lose(_ modified: Int64, _ changed: Int64) {
        if count == 0 {
            (self.modified, self.changed, isOutdated) = (.min, .min, false)
        } else if modified >= self.modified || changed >= self.changed {
            isOutdated = true
        }
    }
}
