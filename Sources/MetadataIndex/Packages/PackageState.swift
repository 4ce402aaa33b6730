// The running state of a package in the index.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The running state of a package: the directory's own values, and the totals of everything within.
struct PackageState {
    var size: Int64
    var modified: Int64
    var changed: Int64
    var totals = PackageTotals()
    /// Whether the totals must be counted again when the package is settled: a large subtree entered or left, or the directory
    /// was no package before. Other changes within until then are not applied.
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

    /// Returns the facts for readers; `access` is the directory's own.
    func facts(_ access: FileAccess) -> PackageFacts {
        var accesses: AccessSet?
        if totals.accesses.count <= AccessSet.mostAccesses {
            accesses = AccessSet(Set(totals.accesses.keys).union(CollectionOfOne(access)))
        }
        return PackageFacts(size: size, modified: modified, changed: changed, accesses: accesses)
    }
}
