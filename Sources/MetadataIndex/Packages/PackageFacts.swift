// The facts of a package that its columns do not hold.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The facts of a package that its columns do not hold: the directory's own values, and the access rules within.
///
/// The columns hold the presented values. The size is that of all regular files within, a file counted once per name. The times
/// of content and inode are the newest of the directory and everything within. So scans, sort keys and change sets need no
/// special case for packages. A directory inside a package is a plain one, whatever its name.
package struct PackageFacts: Sendable, Hashable {
    /// The size of the directory itself.
    package var size: Int64
    /// When its own content changed last, in nanoseconds since 1970.
    package var modified: Int64
    /// When its own inode changed last, in nanoseconds since 1970.
    package var changed: Int64
    /// The access rules of the directory and of each directory within; nil where there are too many different ones. A package
    /// without a set shows the directory's own values to restricted callers.
    package var accesses: AccessSet?

    /// The approximate memory of one.
    var byteCount: Int { MemoryLayout<PackageFacts>.stride + (accesses?.byteCount ?? 0) }

    /// Returns whether a caller that sees the package may list everything within, which the sums reveal.
    package func areOpen(to credentials: Credentials) -> Bool {
        accesses?.allow([.read, .search], to: credentials) ?? false
    }

    /// A package's status with the values of the directory itself.
    package func own(_ presented: FileStatus) -> FileStatus {
        var status = presented
        status.size = size
        status.modified = Timestamp(nanoseconds: modified)
        status.changed = Timestamp(nanoseconds: changed)
        return status
    }
}

extension RowReader where Self: ~Copyable {
    /// Its status as the file system has it: for a package the values of the directory itself.
    package func ownStatus(of row: Row) -> FileStatus {
        let status = status(of: row)
        return status.kind == .package ? package(at: row)?.own(status) ?? status : status
    }

    /// Returns the number of an item's conflict versions that a caller may know; nil stands for a caller that sees
    /// everything. Those inside a package are told as its sums are (``PackageFacts/areOpen(to:)``).
    package func conflictVersions(of row: Row, for caller: Credentials?) -> Int64 {
        let count = conflicts(of: row)
        // The files of an archive are no versions.
        if count.isNone || archive(around: row) != nil { return 0 }
        guard let caller, count.inside > 0, package(at: row)?.areOpen(to: caller) != true else { return count.all }
        return Int64(count.beside)
    }

    /// Returns the status of a row as a caller that sees the item may know it; nil stands for a caller that sees everything.
    package func status(of row: Row, for caller: Credentials?) -> FileStatus {
        let status = status(of: row)
        guard let caller, status.kind == .package, let facts = package(at: row), !facts.areOpen(to: caller) else {
            return status
        }
        return facts.own(status)
    }
}
