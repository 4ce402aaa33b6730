// How the index is told what the file system says.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// Adds an entry to a directory. Its extras are unknown. Errors: `noSuchRow`, `notADirectory`, `invalidName`,
    /// `nameTaken` with the row that has the name, `full`.
    package func insert(
        parent: Row, name: UnsafeRawBufferPointer, status: FileStatus
    ) throws(IndexError) -> Row {
        Row(try storage.insert(parent.number, name, status))
    }

    /// Adds the entries of one directory, as a crawl finds them; one that is there already is updated. Appends their rows
    /// to `rows` in the order of the batch.
    ///
    /// Without `recording` the new rows are in no change set: they count as having been there before the open set began
    /// (updates are recorded in any case, and so is what comes into a directory that is itself new in the open set).
    /// Since the past then looks different from what was handed out, the next ``takeChanges()`` advances the clock even
    /// if its set is empty, and the log forgets everything before that clock. For the first crawl, while nobody listens:
    /// a recorded insertion takes some 24 bytes until its set is taken and gone.
    /// - Parameters:
    ///   - names: the names, one behind the other.
    ///   - lengths: the length of each name.
    ///   - statuses: the status of each entry.
    package func insertChildren(
        of parent: Row, names: UnsafeRawBufferPointer, lengths: UnsafeBufferPointer<UInt8>,
        statuses: UnsafeBufferPointer<FileStatus>, recording: Bool = true, into rows: inout [Row]
    ) throws(IndexError) {
        try storage.insertChildren(
            parent.number, names: names, lengths: lengths, statuses: statuses, recording: recording, into: &rows)
    }

    /// Gives an entry another status; of a package it is that of the directory itself. True if anything in it differs. A
    /// package that lies inside one is a plain directory until it lies there no more; of an index that was saved that has to
    /// be told again. An entry that ceases to be a directory loses what
    /// lies below. The root keeps being a directory (`isRoot` otherwise), and its changes are in no set.
    @discardableResult
    package func update(_ row: Row, _ status: FileStatus) throws(IndexError) -> Bool {
        try storage.update(row.number, status)
    }

    /// Gives an item extras; nil for "not known". True if that differs. From "not known" to none, or back, nothing does, and it is
    /// in no change set.
    /// Where ``extrasLimit`` leaves no room they are not known.
    @discardableResult
    package func setExtras(_ row: Row, _ extras: ExtraAttributes?) throws(IndexError) -> Bool {
        guard let extras, !storage.hasRoom(for: extras, below: extrasLimit) else {
            return try storage.setExtras(row.number, extras)
        }
        lacksExtras = true
        return try storage.setExtras(row.number, nil)
    }

    /// Moves an item, with all that lies below, and changes one row, and the packages that it leaves or enters. Errors:
    /// `wouldContainItself`, `nameTaken` (``replace(_:with:)`` is for that), `notADirectory`, `noSuchRow`, `invalidName`,
    /// `isRoot`. Complexity: O(depth of the new place); where a package is left or entered that has to be summed up anew,
    /// O(rows in it) once when the changes are taken.
    package func move(_ row: Row, to parent: Row, name: UnsafeRawBufferPointer) throws(IndexError) {
        try storage.move(row.number, parent.number, name)
    }

    /// A rename over an existing entry. The target keeps its place, row and generation, and takes the source's status, extras
    /// and children; what the target held before is removed. The source's identity ends. Errors: `wouldContainItself`
    /// where the target lies below the source, `noSuchRow`, `isRoot`. Complexity: O(children of both).
    package func replace(_ target: Row, with source: Row) throws(IndexError) {
        try storage.replace(target.number, source.number)
    }

    /// Two items change places (`RENAME_EXCHANGE` of `renameat2(2)`): each keeps its identity, status and what lies below, and
    /// takes the other's directory and name. Errors: `wouldContainItself` where one lies below the other, `noSuchRow`, `isRoot`.
    package func exchange(_ a: Row, _ b: Row) throws(IndexError) {
        try storage.exchange(a.number, b.number)
    }

    /// Removes an item and all that lies below. Each row is recorded. Complexity: O(rows removed); where that is much of the
    /// index, O(rows of the index), some 45 ms for a million.
    package func remove(_ row: Row) throws(IndexError) {
        try storage.remove(row.number)
    }

    /// As ``remove(_:)``, but it is not known yet whether the entries are gone or only elsewhere: until ``endAside()`` an
    /// entry that is inserted with the status of one of these files has its identity, and was never gone to those who see
    /// both in one change set. Files with several names and those without a birth time have no part in it, nor a subtree that
    /// goes in sweeps; of very many the last are kept. Complexity: as ``remove(_:)``.
    /// `isOutdated`: what the index has of the entry besides its identity is known to be over.
    package func setAside(_ row: Row, isOutdated: Bool = false) throws(IndexError) {
        try storage.setAside(row.number, isOutdated: isOutdated)
    }

    /// As ``setAside(_:isOutdated:)``, of all that lies below a row. Complexity: as ``remove(_:)``.
    package func setAsideChildren(of row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.setAsideChildren(row.number)
    }

    /// As ``setAsideChildren(of:)``, of a directory that may not be read any more: until ``endClosed()``, and with those of files
    /// with several names, which have them again where they lay. Complexity: as ``remove(_:)``.
    package func setAsideClosed(_ row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.setAsideClosed(row.number)
    }

    /// What lay in such directories and did not come again is gone. Complexity: O(identities kept).
    package func endClosed() { storage.endClosed() }

    /// So is what lay there as this file, which has one name: a row has been that since, and is another now.
    package func endClosed(_ file: FileIdentity) { storage.endClosed(file) }

    /// What was set aside and did not come again is gone. Complexity: O(identities kept).
    package func endAside() { storage.endAside() }

    /// What is set aside, for another process that goes on with this index and what brings these files again: no more than so
    /// many bytes, those that went last. Complexity: O(bytes).
    package func savedAside(limit: Int) -> [UInt8] { storage.aside.isEmpty ? [] : storage.aside.bytes(limit: limit) }

    /// Sets aside what another process had set aside when this index was saved. What cannot be is left out.
    /// Complexity: O(free rows).
    package func setAside(saved bytes: [UInt8]) { bytes.withUnsafeBytes { storage.setAside(saved: $0) } }

    /// Removes all that lies below a row, which may be the root. Complexity: as ``remove(_:)``.
    package func removeChildren(of row: Row) throws(IndexError) {
        guard storage.rows.isLive(row.number) else { throw .noSuchRow(row) }
        storage.removeChildren(row.number)
    }
}
