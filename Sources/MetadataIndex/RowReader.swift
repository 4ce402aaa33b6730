// Read access to rows, for any holder.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// Read access to rows: of the current index, of a snapshot, or of the state before a change set.
///
/// A row must be live in the reader (``isLive(_:)``), except for the two calls that say whether it is. The root is live; its
/// name and path are empty, and it is its own parent.
package protocol RowReader: ~Copyable {
    /// Whether an entry lives in the row.
    func isLive(_ row: Row) -> Bool
    /// Returns the identifier of the row's occupant; nil for an empty slot.
    func identifier(of row: Row) -> ItemIdentifier?
    /// The directory that holds it.
    func parent(of row: Row) -> Row
    /// Returns the entry's kind.
    func kind(of row: Row) -> FileKind
    /// Returns the entry's status; for a package, the presented one (``PackageFacts``).
    func status(of row: Row) -> FileStatus
    /// Returns the entry's access rule.
    func access(of row: Row) -> FileAccess
    /// Whether there may be packages.
    var hasPackages: Bool { get }
    /// Whether any item may lie below an archive (``ArchiveName``).
    var hasArchives: Bool { get }
    /// More steps up than this lead round in a circle, which only damaged states have.
    var mostSteps: Int { get }
    /// Returns the facts of a package besides its status; nil if the row is no package.
    func package(at row: Row) -> PackageFacts?
    /// Returns the numbers of its conflict versions.
    func conflicts(of row: Row) -> ConflictCount
    /// The state of a shared item.
    func sync(of row: Row) -> SyncState
    /// Its extended attributes, nil where they are not known.
    func xattrs(of row: Row) -> ExtraAttributes?
    /// Lends the bytes of its name; they must not be kept.
    func withName<R, E: Error>(of row: Row, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
    /// Appends its path from the container's root, without a slash in front.
    func appendPath(of row: Row, to bytes: inout [UInt8])
    /// Whether it is `ancestor` or lies below it.
    func isWithin(_ row: Row, _ ancestor: Row) -> Bool
    /// How many directories deep it lies: 0 for the root, 1 at the top of the container.
    func depth(of row: Row) -> Int
}

extension RowReader where Self: ~Copyable {
    package func access(of row: Row) -> FileAccess { status(of: row).access }

    package var mostSteps: Int { .max }

    /// Whether it lies inside a package, however deep. Complexity: O(depth), O(1) where there are no packages.
    package func isInsidePackage(_ row: Row) -> Bool { package(around: row) != nil }

    /// The package that it lies inside, however deep. Complexity: as ``isInsidePackage(_:)``.
    package func package(around row: Row) -> Row? {
        guard hasPackages else { return nil }
        var above = parent(of: row)
        var steps = mostSteps
        while above != .root, steps > 0 {
            if kind(of: above) == .package { return above }
            above = parent(of: above)
            steps -= 1
        }
        return nil
    }

    /// The lowest archive (``ArchiveName``) that it lies below. Complexity: O(depth), O(1) where there are no archives.
    package func archive(around row: Row) -> Row? {
        guard hasArchives else { return nil }
        var above = parent(of: row)
        var steps = mostSteps
        while above != .root, steps > 0 {
            if isArchive(above) { return above }
            above = parent(of: above)
            steps -= 1
        }
        return nil
    }

    /// Whether its name is that of an archive.
    package func isArchive(_ row: Row) -> Bool { withName(of: row) { ArchiveName.isName($0) } }

    /// The name of a version in conflict (``ConflictName``); nil for another item. Complexity: O(length) for almost all items,
    /// and O(depth) for those with such a name.
    package func conflictName(of row: Row) -> ConflictName? {
        guard isConflictVersion(row) else { return nil }
        return withName(of: row) { ConflictName($0) }
    }

    /// Whether it is a version in conflict. Complexity: as ``conflictName(of:)``.
    package func isConflictVersion(_ row: Row) -> Bool {
        withName(of: row) { ConflictName.insertion(in: $0.assumingMemoryBound(to: UInt8.self).span) != nil }
            && kind(of: row) == .file && archive(around: row) == nil
    }

    /// Whether the item lives.
    package func isLive(_ identifier: ItemIdentifier) -> Bool { self.identifier(of: identifier.row) == identifier }
}
