// Look-ups that wait, in the order in which they began to, and found by name.
// SPDX-License-Identifier: Apache-2.0

/// A look-up whose directory is not where its row is, or that has found what no event has told of.
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
    var isTold = false
    /// What was heard of the name says why another file may be there, and no look has shown which.
    var isUnexpected = false
}

/// Look-ups that wait for what is queued. As long as one does nobody has looked at its name: what is asked of the names that
/// wait to be looked at is asked here too.
struct DeferredLookUps: Sequence {
    private struct Place: Hashable {
        var directory: DirectoryID
        var name: [UInt8]
    }

    private var lookUps: [DeferredLookUp] = []
    /// The names, and whether another file may be there by what was heard.
    private var places: [Place: Bool] = [:]

    var isEmpty: Bool { lookUps.isEmpty }
    var count: Int { lookUps.count }

    func makeIterator() -> IndexingIterator<[DeferredLookUp]> { lookUps.makeIterator() }

    mutating func append(_ lookUp: DeferredLookUp) {
        let place = Place(directory: lookUp.directory, name: lookUp.name)
        places[place] = places[place] == true || lookUp.isUnexpected
        lookUps.append(lookUp)
    }

    /// Takes all of them.
    mutating func takeAll() -> [DeferredLookUp] {
        defer { (lookUps, places) = ([], [:]) }
        return lookUps
    }

    /// What waits for a task waits for these.
    mutating func lowerCauses(of task: UInt32, to cause: UInt64) {
        for index in lookUps.indices where lookUps[index].origin.task == task {
            lookUps[index].origin.cause = Swift.min(lookUps[index].origin.cause, cause)
        }
    }

    mutating func removeAll(where isOver: (DeferredLookUp) -> Bool) {
        guard lookUps.contains(where: isOver) else { return }
        for lookUp in takeAll() where !isOver(lookUp) { append(lookUp) }
    }

    /// Whether a name waits.
    func waits(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        !lookUps.isEmpty && places[Place(directory: directory, name: Array(name))] != nil
    }

    /// Whether a name waits of which something was heard that says why another file may be there.
    func isUnexpected(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        !lookUps.isEmpty && places[Place(directory: directory, name: Array(name))] == true
    }
}
