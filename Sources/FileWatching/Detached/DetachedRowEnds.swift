// Where rows are detached from the tree, and the events and look-ups to await before they end.
// SPDX-License-Identifier: Apache-2.0

/// The containers in which the tree keeps rows that have left it and may come again: their files may be elsewhere, or
/// lie in a directory that is inaccessible. The tree has the rows, and this type the events and look-ups to await before they
/// end.
struct DetachedRowEnds {
    /// Containers in which something was removed that may come again.
    private(set) var containers: Set<UInt32> = []
    /// Containers in which rows of inaccessible directories are detached, for as long as they are.
    private(set) var containersWithInaccessible: Set<UInt32> = []
    /// The position of the stream that the events of detached rows lie before.
    private var position: UInt64 = 0
    /// Directories the detached rows may since have been renamed from. The events of those renames may not be queued
    /// yet.
    private var movedOnFrom: Set<DirectoryID> = []

    // MARK: Rows whose files may be elsewhere

    /// A row was detached in a container. The event that tells where its file went may lie before a position of the stream.
    mutating func insert(in container: UInt32, receivedBefore position: UInt64? = nil) {
        if let position { self.position = max(self.position, position) }
        containers.insert(container)
    }

    /// A container has no such rows any more. One that waited for them waits no longer if it was the last.
    mutating func remove(_ container: UInt32) {
        containers.remove(container)
        if containers.isEmpty { movedOnFrom.removeAll(keepingCapacity: true) }
    }

    /// Whether there may be more to hear, at a position of the stream.
    func isAwaitingNews(at position: UInt64) -> Bool { position < self.position || !movedOnFrom.isEmpty }

    /// Something without a row has come to a name in a directory, or has left it before anybody looked. It may be the
    /// file of a detached row.
    mutating func awaitMovingOn(from directory: DirectoryID) {
        if !containers.isEmpty { movedOnFrom.insert(directory) }
    }

    /// Whether directories are to be locked that files may have moved on from.
    var isAwaitingMovingOn: Bool { !movedOnFrom.isEmpty }

    /// Takes so many directories whose renames are to be waited for.
    mutating func takeMovedOn(atMost limit: Int) -> [DirectoryID] {
        let some = Array(movedOnFrom.prefix(limit))
        movedOnFrom.subtract(some)
        return some
    }

    /// The renames of some directories were waited for: their events lie before a position of the stream.
    mutating func waitedForRenames(before position: UInt64) { self.position = max(self.position, position) }

    // MARK: Rows of inaccessible directories

    mutating func insertInaccessible(in container: UInt32) { containersWithInaccessible.insert(container) }
    mutating func removeInaccessible(_ container: UInt32) { containersWithInaccessible.remove(container) }
}
