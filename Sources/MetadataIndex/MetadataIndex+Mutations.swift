// Brings the index to the state of the file system.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// Adds an entry to a directory. Its extended attributes are unknown. Errors: `noSuchRow`, `notADirectory`, `invalidName`,
    /// `nameTaken` with the row that has the name, `full`.
    package func insert(
        parent: Row, name: UnsafeRawBufferPointer, status: FileStatus
    ) throws(IndexError) -> Row {
        Row(try storage.insert(parent.number, name, status))
    }

    /// Adds the entries of one directory, as a crawl finds them; an entry that exists is updated. Appends their rows to `rows`
    /// in the order of the batch.
    ///
    /// Without `recording` the new rows are in no change set: they count as present before the open set began. Updates are
    /// always recorded, and so are entries of a directory that is itself new in the open set. Because the past then differs
    /// from the delivered sets, the next ``takeChanges()`` advances the clock even if its set is empty, and the log drops
    /// everything before that clock. It serves the first crawl, while there are no subscribers: a recorded insertion takes some
    /// 24 bytes until its set is taken and dropped.
    /// - Parameters:
    ///   - names: the names, one after the other.
    ///   - lengths: the length of each name.
    ///   - statuses: the status of each entry.
    package func insertChildren(
        of parent: Row, names: UnsafeRawBufferPointer, lengths: UnsafeBufferPointer<UInt16>,
        statuses: UnsafeBufferPointer<FileStatus>, recording: Bool = true, into rows: inout [Row]
    ) throws(IndexError) {
        try storage.insertChildren(
            parent.number, names: names, lengths: lengths, statuses: statuses, recording: recording, into: &rows)
    }

    /// Gives an entry another status; for a package it is the status of the directory itself. Returns true if anything differs.
    /// A package inside a package is a plain directory until it leaves. An index that was loaded must be told of it again. An
    /// entry that stops being a directory loses everything below it. The root stays a directory (`isRoot` otherwise), and its
    /// changes are in no set.
    @discardableResult
    package func update(_ row: Row, _ status: FileStatus) throws(IndexError) -> Bool {
        try storage.update(row.number, status)
    }

    /// Gives an item extended attributes; nil for "not known". True if that differs. From "not known" to none, or back, nothing does, and it
    /// is in no change set.
    /// Where ``xattrLimit`` leaves no room they are not known.
    @discardableResult
    package func setXattrs(_ row: Row, _ xattrs: ExtraAttributes?) throws(IndexError) -> Bool {
        guard let xattrs, !storage.hasRoom(for: xattrs, below: xattrLimit) else {
            return try storage.setXattrs(row.number, xattrs)
        }
        lacksXattrs = true
        return try storage.setXattrs(row.number, nil)
    }

    /// Moves an item, with all that lies below, and changes one row, and the packages that it leaves or enters. Errors:
    /// `wouldContainItself`, `nameTaken` (``replace(_:with:)`` is for that), `notADirectory`, `noSuchRow`, `invalidName`,
    /// `isRoot`. Complexity: O(depth of the new place); where a package is left or entered that has to be summed up anew,
    /// O(rows in it) once when the changes are taken.
    package func move(_ row: Row, to parent: Row, name: UnsafeRawBufferPointer) throws(IndexError) {
        try storage.move(row.number, parent.number, name)
    }

    /// A rename over an existing entry. The target keeps its place, row and generation, and takes the source's status,
    /// extended attributes and children; the target's former children are removed. The source's identity ends. Errors:
    /// `wouldContainItself` where the target lies below the source, `noSuchRow`, `isRoot`. Complexity: O(children of
    /// both).
    package func replace(_ target: Row, with source: Row) throws(IndexError) {
        try storage.replace(target.number, source.number)
    }

    /// Exchanges two items (`RENAME_EXCHANGE` of `renameat2(2)`): each keeps its identity, status and descendants, and takes
    /// the other's directory and name. Errors: `wouldContainItself` where one lies below the other, `noSuchRow`, `isRoot`.
    package func exchange(_ a: Row, _ b: Row) throws(IndexError) {
        try storage.exchange(a.number, b.number)
    }

    /// Removes an item and all that lies below. Each row is recorded. Complexity: O(rows removed); where that is much of the
    /// index, O(rows of the index), some 45 ms for a million.
    package func remove(_ row: Row) throws(IndexError) {
        try storage.remove(row.number)
    }

    /// Removes a row as ``remove(_:)`` does, while it is unknown whether the file was removed or moved. Until
    /// ``endDetached()``, an entry that is inserted with the status of one of these files takes over its identity. One
    /// change set that holds both shows it as never removed. Files with several names or without a birth time are not
    /// kept, nor is a subtree that is removed in sweeps. If there are very many such files, the last are kept.
    /// Complexity: as ``remove(_:)``. `isOutdated`: the stored values besides the identity are known to be old.
    package func detach(_ row: Row, isOutdated: Bool = false) throws(IndexError) {
        try storage.detach(row.number, isOutdated: isOutdated)
    }

    /// Detaches everything below a row, as ``detach(_:isOutdated:)`` does for one. Complexity: as ``remove(_:)``.
    package func detachChildren(of row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.detachChildren(row.number)
    }

    /// Detaches everything below a directory that became inaccessible, until ``endInaccessible()``. Files with several names
    /// are kept too, and get their identities back at the same place. Complexity: as ``remove(_:)``.
    package func detachInaccessible(_ row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.detachInaccessible(row.number)
    }

    /// Ends the identities kept for inaccessible directories. Complexity: O(identities kept).
    package func endInaccessible() { storage.endInaccessible() }

    /// Ends the identity of the entry that lay there as this file, which has one name: a row has been that since, and
    /// is another now.
    package func endInaccessible(_ file: FileIdentity) { storage.endInaccessible(file) }

    /// Ends the identities of detached entries that did not come back. Complexity: O(identities kept).
    package func endDetached() { storage.endDetached() }

    /// Encodes the detached identities for the next process, at most `limit` bytes, the most recent ones. Complexity: O(bytes).
    package func savedDetached(limit: Int) -> [UInt8] { storage.detached.saved(limit: limit) }

    /// Restores the detached identities that an earlier process saved with this index. Entries that do not fit the index are
    /// skipped. Complexity: O(free rows).
    package func restoreDetached(saved bytes: [UInt8]) { bytes.withUnsafeBytes { storage.restoreDetached(saved: $0) } }

    /// Removes all that lies below a row, which may be the root. Complexity: as ``remove(_:)``.
    package func removeChildren(of row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.removeChildren(row.number)
    }
}
