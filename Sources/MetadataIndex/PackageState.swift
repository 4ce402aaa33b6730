// What the index knows of a package while it goes on.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// What the index knows of a package while it goes on: what the directory itself has, and what lies within.
struct PackageState {
    var size: Int64
    var modified: Int64
    var changed: Int64
    var totals = PackageTotals()
    /// Whether the totals are to be found anew when the package is settled: a large subtree came or went, or the directory
    /// was none before. What else happens within until then does not count.
    var isToBeCounted: Bool

    init(_ own: RowValues, isToBeCounted: Bool) {
        (size, modified, changed) = (own.size, own.modified, own.changed)
        self.isToBeCounted = isToBeCounted
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
        var accesses: AccessSet?
        if totals.accesses.count <= AccessSet.mostAccesses {
            accesses = AccessSet(Set(totals.accesses.keys).union(CollectionOfOne(access)))
        }
        return PackageFacts(size: size, modified: modified, changed: changed, accesses: accesses)
    }
}
