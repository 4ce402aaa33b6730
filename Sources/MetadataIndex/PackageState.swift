// What the index knows of a package while it goes on.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// What the index knows of a package while it goes on: what the directory itself has, and what lies within.
struct PackageState {
    var size: Int64
    var modified: Int64
    var changed: Int64
    var totals: PackageTotals

    init(_ own: RowValues, _ totals: PackageTotals = PackageTotals()) {
        (size, modified, changed) = (own.size, own.modified, own.changed)
        self.totals = totals
    }

    /// Gives the directory itself other values.
    mutating func set(_ own: RowValues) { (size, modified, changed) = (own.size, own.modified, own.changed) }

    /// Values of the directory as the file system has them.
    func own(_ values: RowValues) -> RowValues {
        var own = values
        (own.size, own.modified, own.changed) = (size, modified, changed)
        return own
    }

    /// Values of the directory as it is presented.
    func presented(_ values: RowValues) -> RowValues {
        var presented = values
        presented.size = Int64(clamping: totals.size)
        presented.modified = max(modified, totals.modified)
        presented.changed = max(changed, totals.changed)
        return presented
    }

    /// What readers are to have; `access` is the directory's own.
    func facts(_ access: FileAccess) -> PackageFacts {
        let most = PackageFacts.mostAccesses
        var accesses: Set<FileAccess>?
        if totals.accesses.count <= most {
            var all = Set(totals.accesses.keys)
            all.insert(access)
            if all.count <= most { accesses = all }
        }
        return PackageFacts(size: size, modified: modified, changed: changed, accesses: accesses)
    }
}
