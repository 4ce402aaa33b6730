// Look-ups that wait, in the order in which they began to, and found by name.
// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// A look-up whose directory is not where its row is, or that has found a change without an event.
struct DeferredLookUp {
    var directory: DirectoryID
    var name: [UInt8]
    var origin: Origin
    /// When the stream has been read up to here, the move that it waits for should have come.
    var position: UInt64
    var attempts: UInt8
    /// Its directory is where it should be, but the entry is not.
    var waitsForNews = false
    /// As in ``LookUpQueue/Entry``.
    var isArrival = false
    /// As in ``LookUpQueue/Entry``.
    var isReported = false
    /// The events of the name explain another file there, and no look-up has shown which.
    var isUnexpected = false
    /// Its directory's place, or that of the one above that is missing, is looked at when so many look-ups were taken.
    var lookUps: UInt64 = 0
    /// The depth of the directory that was missing when this was last tried.
    var depth: UInt16 = 0
}

/// Look-ups that wait for queued events. As long as one does its name was not looked at: a question about the names
/// that wait for a look-up is asked here too.
struct DeferredLookUps: Sequence {
    private struct Place: Hashable {
        var directory: DirectoryID
        var name: [UInt8]
    }

    /// How many look-ups of a name wait, and for how many of them the events read explain another file there.
    private struct Count {
        var all = 0
        var unexpected = 0
    }

    private var lookUps: Deque<DeferredLookUp> = []
    private var places: [Place: Count] = [:]
    /// How many of them are to be checked for directories that have left the tree.
    private var unchecked = 0
    /// The position of the first of the look-ups that have waited and are to be made now, and how many look-ups were taken when these
    /// were.
    private var retried: (position: UInt64, end: UInt64) = (.max, 0)

    var isEmpty: Bool { lookUps.isEmpty }
    var count: Int { lookUps.count }

    func makeIterator() -> some IteratorProtocol<DeferredLookUp> { lookUps.makeIterator() }

    mutating func append(_ lookUp: DeferredLookUp) {
        var count = places[place(of: lookUp)] ?? Count()
        count.all += 1
        if lookUp.isUnexpected { count.unexpected += 1 }
        places[place(of: lookUp)] = count
        lookUps.append(lookUp)
    }

    /// Takes the one that has waited longest since it was last tried.
    mutating func takeFirst() -> DeferredLookUp? {
        guard let lookUp = lookUps.popFirst() else { return nil }
        // The memory of a burst is not kept.
        if lookUps.isEmpty { lookUps = [] }
        if var count = places[place(of: lookUp)] {
            count.all -= 1
            if lookUp.isUnexpected { count.unexpected -= 1 }
            places[place(of: lookUp)] = count.all > 0 ? count : nil
        }
        return lookUp
    }

    /// A directory has left the tree: look-ups in it bring nothing.
    mutating func directoryLeft() { unchecked = count }

    /// Drops look-ups in directories that have left the tree: looks at so many of them at most.
    mutating func drop(atMost limit: Int, where isGone: (DirectoryID) -> Bool) {
        let checked = Swift.min(unchecked, count, limit)
        for _ in 0..<checked {
            guard let lookUp = takeFirst() else { break }
            if !isGone(lookUp.directory) { append(lookUp) }
        }
        unchecked = isEmpty ? 0 : unchecked - checked
    }

    // MARK: Look-ups that are tried again

    /// A look-up that has waited is to be made now, as one of those up to `end`.
    mutating func noteRetried(_ position: UInt64, end: UInt64) {
        retried = (Swift.min(retried.position, position), end)
    }

    /// Returns the position of the first look-up that has waited and is still to be made, when so many look-ups were taken;
    /// `UInt64.max` for none.
    func positionOfRetried(taken: UInt64) -> UInt64 { taken < retried.end ? retried.position : .max }

    /// Forgets the look-ups that were tried again when all of them were taken.
    mutating func forgetRetried(taken: UInt64) { if taken >= retried.end { retried.position = .max } }

    private func place(of lookUp: DeferredLookUp) -> Place { Place(directory: lookUp.directory, name: lookUp.name) }

    /// Barriers that wait for a task wait for these.
    mutating func lowerPositions(of task: UInt32, to position: UInt64) {
        for index in lookUps.indices where lookUps[index].origin.task == task {
            lookUps[index].origin.position = Swift.min(lookUps[index].origin.position, position)
        }
    }

    /// Whether a name waits.
    func waits(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        !isEmpty && places[Place(directory: directory, name: Array(name))] != nil
    }

    /// Whether a name waits of which something was heard that says why another file may be there.
    func isUnexpected(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        guard !isEmpty, let count = places[Place(directory: directory, name: Array(name))] else { return false }
        return count.unexpected > 0
    }
}
