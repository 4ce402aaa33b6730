// What is kept of a package besides its columns.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// What is kept of a package besides its columns. The columns hold what it is presented with: as size that of all regular
/// files within, each name of one counted, and as times of content and inode the newest of itself and all within. So scans,
/// sort keys and change sets know nothing of packages. A directory inside a package is a plain one, whatever its name. This is what the directory itself has, and who may know what lies
/// within.
package struct PackageFacts: Sendable, Hashable {
    /// The size of the directory itself.
    package var size: Int64
    /// When its own content changed last, in nanoseconds since 1970.
    package var modified: Int64
    /// When its own inode changed last, in nanoseconds since 1970.
    package var changed: Int64
    /// What decides who may do what with the directory and with each one within; nil where they differ in so many ways that
    /// there is no set of them: such a package shows callers who do not see everything what the directory has.
    package var accesses: AccessSet?

    /// Roughly what one takes.
    var byteCount: Int { MemoryLayout<PackageFacts>.stride + (accesses?.byteCount ?? 0) }

    /// Whether a caller who sees the package may list all that lies within: what is summed up tells of all of it.
    package func areOpen(to credentials: Credentials) -> Bool {
        accesses?.allow([.read, .search], to: credentials) ?? false
    }

    /// A package's status with what the directory itself has.
    package func own(_ presented: FileStatus) -> FileStatus {
        var status = presented
        status.size = size
        status.modified = Timestamp(nanoseconds: modified)
        status.changed = Timestamp(nanoseconds: changed)
        return status
    }
}

extension RowReader where Self: ~Copyable {
    /// Its status as the file system has it: of a package what the directory itself has.
    package func ownStatus(of row: Row) -> FileStatus {
        let status = status(of: row)
        return status.kind == .package ? package(at: row)?.own(status) ?? status : status
    }

    /// Its status as a caller may know it who sees the item; nil for one who sees everything.
    package func status(of row: Row, for caller: Credentials?) -> FileStatus {
        let status = status(of: row)
        guard let caller, status.kind == .package, let facts = package(at: row), !facts.areOpen(to: caller) else {
            return status
        }
        return facts.own(status)
    }
}
