// Pending renames, found by cookie, by place and by file.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A pending rename: its `IN_MOVED_FROM` was read, and its `IN_MOVED_TO` was not.
struct PendingRename {
    var cookie: UInt32
    var directory: DirectoryID
    var container: UInt32
    var name: [UInt8]
    /// The file that has left, as far as it is known.
    var identity: FileIdentity?
    /// Whether it had a row.
    var hasRow = false
    /// Whether something was heard of it before that, and it was not looked at since.
    var isOutdated = false
    var deadline: UInt64
    var origin: Origin
    /// Where the stream was when its time was over and the events queued by then had been read: crawls that later
    /// events cause cannot bring the `IN_MOVED_TO`.
    var expiry: UInt64 = .max
    /// The look-ups that waited then: one of them may find its file, or have the file's directory read.
    var lookUps: UInt64 = .max
    /// Whether it has waited for look-ups that others of its time have asked for.
    var hasAwaitedOthers = false
    /// When its time is over: where in the stream the `IN_MOVED_TO` lies before, if there is one.
    var end: UInt64?
    /// Whether it has no row in the tree: the row had to make way, or was never made, as that of a file that had left
    /// the name before is there.
    var isDetached = false
}

/// The pending renames. A burst of moves out of the containers leaves as many as the queue holds, so each way to
/// find one takes the same time however many there are.
struct PendingRenames {
    private struct Place: Hashable {
        var directory: DirectoryID
        var name: [UInt8]
    }

    /// By serial number: the order in which they came, which is that of their positions and deadlines.
    private var renames: [Int: PendingRename] = [:]
    private var next = 0
    /// None is older.
    private var first = 0
    private var byCookie: [UInt32: Int] = [:]
    private var byPlace: [Place: Int] = [:]
    /// In the order in which they came: the names of a file with several are moved one by one.
    private var byFile: [FileIdentity: [Int]] = [:]
    private var countOfContainer: [UInt32: Int] = [:]
    /// Those whose positions are less than that of one that came before.
    private var lowered: Set<Int> = []
    /// The greatest position with which one came since there was none.
    private var greatest: UInt64 = 0
    /// Those whose rows are in other places than they came from, or whose second events were held: hearing of them once more does
    /// not tell that they wait.
    private var noted: Set<Int> = []

    /// The least position of all; nil where there is none.
    var leastPosition: UInt64? {
        oldest.map { lowered.reduce($0.origin.position) { min($0, renames[$1]?.origin.position ?? .max) } }
    }

    /// Whether the next process must be told of any: the rows stand in other places than they came from, or the second event was
    /// held; and which those are.
    var hasNoted: Bool { !noted.isEmpty }
    var notedOnes: [PendingRename] { noted.compactMap { renames[$0] } }

    var isEmpty: Bool { renames.isEmpty }
    var count: Int { renames.count }
    /// All, in no order.
    var all: Dictionary<Int, PendingRename>.Values { renames.values }
    /// The one that came first.
    var oldest: PendingRename? { renames[first] }

    /// Adds one; no other waits for this place.
    mutating func append(_ rename: PendingRename) {
        if renames.isEmpty { (first, greatest) = (next, 0) }
        if rename.origin.position < greatest { lowered.insert(next) }
        greatest = max(greatest, rename.origin.position)
        countOfContainer[rename.container, default: 0] += 1
        renames[next] = rename
        byCookie[rename.cookie] = next
        if !rename.isDetached { byPlace[Place(directory: rename.directory, name: rename.name)] = next }
        if let file = rename.identity { byFile[file, default: []].append(next) }
        next += 1
    }

    /// Whether one has left this place; it then takes over the earlier event position there.
    mutating func lowerPosition(_ directory: DirectoryID, _ name: UnsafeRawBufferPointer, to position: UInt64) -> Bool {
        guard !renames.isEmpty, let serial = byPlace[Place(directory: directory, name: Array(name))],
            let earlier = renames[serial]?.origin.position
        else { return false }
        renames[serial]?.origin.position = min(earlier, position)
        if position < earlier { lowered.insert(serial) }
        return true
    }

    /// The pending rename that left this place.
    func pending(_ directory: DirectoryID, _ name: UnsafeRawBufferPointer) -> PendingRename? {
        guard !renames.isEmpty else { return nil }
        return byPlace[Place(directory: directory, name: Array(name))].flatMap { renames[$0] }
    }

    /// The one that an `IN_MOVED_TO` belongs to.
    func pending(cookie: UInt32) -> PendingRename? { byCookie[cookie].flatMap { renames[$0] } }

    /// The row of a file that left a place stands in another from now on, which no file has left.
    mutating func move(
        _ directory: DirectoryID, _ name: UnsafeRawBufferPointer, to newDirectory: DirectoryID, _ newName: [UInt8]
    ) {
        guard let serial = byPlace.removeValue(forKey: Place(directory: directory, name: Array(name))) else { return }
        noted.insert(serial)
        renames[serial]?.directory = newDirectory
        renames[serial]?.name = newName
        byPlace[Place(directory: newDirectory, name: newName)] = serial
    }

    /// The row of a file that left this place stood in another then.
    mutating func noteMoved(_ directory: DirectoryID, _ name: UnsafeRawBufferPointer) {
        if let serial = byPlace[Place(directory: directory, name: Array(name))] { noted.insert(serial) }
    }

    /// The `IN_MOVED_TO` has been heard of a directory that is being read, and is not dealt with.
    mutating func noteHeld(cookie: UInt32) {
        if let serial = byCookie[cookie] { noted.insert(serial) }
    }

    /// The row of a file that left a place is not there any more; later events of the place are about another file.
    mutating func detach(_ directory: DirectoryID, _ name: UnsafeRawBufferPointer) {
        guard let serial = byPlace.removeValue(forKey: Place(directory: directory, name: Array(name))) else { return }
        renames[serial]?.isDetached = true
    }

    /// Whether anything has left a place in a container.
    func waits(in container: UInt32) -> Bool { countOfContainer[container] != nil }

    /// Whether this file has left a place.
    func contains(_ file: FileIdentity) -> Bool { byFile[file] != nil }

    /// Takes the one that has left this place.
    mutating func take(_ directory: DirectoryID, _ name: UnsafeRawBufferPointer) -> PendingRename? {
        guard !renames.isEmpty else { return nil }
        return byPlace[Place(directory: directory, name: Array(name))].flatMap { take($0) }
    }

    /// Takes the one that an `IN_MOVED_TO` belongs to.
    mutating func take(cookie: UInt32) -> PendingRename? { byCookie[cookie].flatMap { take($0) } }

    /// Takes the first of this file that has left a place in a container.
    mutating func take(_ file: FileIdentity, in container: UInt32) -> PendingRename? {
        guard let serial = byFile[file]?.first(where: { renames[$0]?.container == container }) else { return nil }
        return take(serial)
    }

    /// Those whose time is over and of which it is not known yet where the `IN_MOVED_TO` lies before.
    func unsettled(now: UInt64) -> [(serial: Int, directory: DirectoryID)] {
        guard let oldest, now >= oldest.deadline else { return [] }
        return renames.compactMap { $1.end == nil && now >= $1.deadline ? ($0, $1.directory) : nil }
    }

    /// The `IN_MOVED_TO` of one lies before this, if there is one.
    mutating func settle(_ serial: Int, before end: UInt64) { renames[serial]?.end = end }

    /// Those whose time is over, in order.
    func expired(now: UInt64) -> [Int] {
        guard let oldest, now >= oldest.deadline else { return [] }
        return renames.keys.sorted().filter { renames[$0].map { now >= $0.deadline } ?? false }
    }

    /// Those whose time is over wait for the look-ups that wait now: each once, or as many as have left directories behind would
    /// end one by one, with a look-up and a crawl between.
    mutating func awaitLookUps(_ end: UInt64) {
        for serial in Array(renames.keys) {
            guard let rename = renames[serial], rename.expiry != .max, !rename.hasAwaitedOthers else { continue }
            renames[serial]?.hasAwaitedOthers = true
            renames[serial]?.lookUps = max(rename.lookUps, end)
        }
    }

    /// Says where the stream is, and the end of the look-ups that wait, to one whose time is over when all has been read that
    /// may tell of it. Nil where it is kept.
    mutating func expire(
        _ serial: Int, position: UInt64, lookUps: UInt64, isKept: (PendingRename) -> Bool
    ) -> PendingRename? {
        guard var rename = renames[serial] else { return nil }
        if rename.expiry == .max, rename.end.map({ position >= $0 }) ?? true {
            (rename.expiry, rename.lookUps) = (position, lookUps)
            renames[serial] = rename
        }
        return isKept(rename) ? nil : rename
    }

    /// Forgets those of a container.
    mutating func removeAll(of container: UInt32) {
        for serial in renames.keys.sorted() where renames[serial]?.container == container { _ = take(serial) }
    }

    /// Takes the one with a serial number.
    mutating func take(_ serial: Int) -> PendingRename? {
        guard let rename = renames.removeValue(forKey: serial) else { return nil }
        if !lowered.isEmpty { lowered.remove(serial) }
        if !noted.isEmpty { noted.remove(serial) }
        let others = countOfContainer[rename.container, default: 1] - 1
        countOfContainer[rename.container] = others > 0 ? others : nil
        if byCookie[rename.cookie] == serial { byCookie[rename.cookie] = nil }
        let place = Place(directory: rename.directory, name: rename.name)
        if byPlace[place] == serial { byPlace[place] = nil }
        if let file = rename.identity {
            byFile[file]?.removeAll { $0 == serial }
            if byFile[file]?.isEmpty == true { byFile[file] = nil }
        }
        while first < next, renames[first] == nil { first += 1 }
        return rename
    }
}
