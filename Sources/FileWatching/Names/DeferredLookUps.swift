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
    /// Its directory's place, or that of the one above that is missing, is looked at when so many look-ups were taken.
    var lookUps: UInt64 = 0
    /// The depth of the directory that was missing when this was last tried.
    var depth: UInt16 = 0
}

/// Look-ups that wait for what is queued. As long as one does nobody has looked at its name: what is asked of the names that
/// wait to be looked at is asked here too.
struct DeferredLookUps: Sequence {
    private struct Place: Hashable {
        var directory: DirectoryID
        var name: [UInt8]
    }

    /// How many look-ups of a name wait, and of how many of them another file may be there by what was heard.
    private struct Count {
        var all = 0
        var unexpected = 0
    }

    private var lookUps: [DeferredLookUp] = []
    /// Those before this were taken.
    private var next = 0
    private var places: [Place: Count] = [:]

    var isEmpty: Bool { next == lookUps.count }
    var count: Int { lookUps.count - next }

    func makeIterator() -> IndexingIterator<ArraySlice<DeferredLookUp>> { lookUps[next...].makeIterator() }

    mutating func append(_ lookUp: DeferredLookUp) {
        var count = places[place(of: lookUp)] ?? Count()
        count.all += 1
        if lookUp.isUnexpected { count.unexpected += 1 }
        places[place(of: lookUp)] = count
        lookUps.append(lookUp)
    }

    /// Takes the one that has waited longest since it was last tried.
    mutating func takeFirst() -> DeferredLookUp? {
        guard next < lookUps.count else { return nil }
        let lookUp = lookUps[next]
        next += 1
        if next == lookUps.count {
            lookUps.removeAll(keepingCapacity: next < 4_096)
            next = 0
        } else if next >= 4_096, next * 2 > lookUps.count {
            lookUps.removeFirst(next)
            next = 0
        }
        if var count = places[place(of: lookUp)] {
            count.all -= 1
            if lookUp.isUnexpected { count.unexpected -= 1 }
            places[place(of: lookUp)] = count.all > 0 ? count : nil
        }
        return lookUp
    }

    private func place(of lookUp: DeferredLookUp) -> Place { Place(directory: lookUp.directory, name: lookUp.name) }

    /// What waits for a task waits for these.
    mutating func lowerCauses(of task: UInt32, to cause: UInt64) {
        for index in next..<lookUps.count where lookUps[index].origin.task == task {
            lookUps[index].origin.cause = Swift.min(lookUps[index].origin.cause, cause)
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
