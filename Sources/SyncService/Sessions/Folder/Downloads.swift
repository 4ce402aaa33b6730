// The files that come to this device.
// SPDX-License-Identifier: Apache-2.0

import Syncthing

/// Knows which files of a folder come to this device: those that are missing, how far Syncthing has fetched them, and its errors.
/// Events tell changes, and answers tell all at once. An answer may be older than the events before it.
struct Downloads {
    /// The time of an event. Only differences count.
    typealias Moment = ContinuousClock.Instant

    private var isDoubtful = true
    private var areErrorsDoubtful = true
    /// The paths whose newest version is not here.
    private var missing: Set<String> = []
    /// The versions of those that are not here at all.
    private var coming: [String: AbsentItem] = [:]
    /// The paths that Syncthing fetches.
    private var started: Set<String> = []
    private var progress: [String: TransferProgress] = [:]
    private var errors: [String: String] = [:]
    private var room = RoomTry()

    // MARK: Doubts

    /// Whether Syncthing has to be asked.
    var hasDoubts: Bool { isDoubtful || areErrorsDoubtful }

    /// Notes that items may have come that are not here.
    mutating func doubt() { isDoubtful = true }

    /// Notes that the errors may be others.
    mutating func doubtErrors() { areErrorsDoubtful = true }

    /// Returns whether Syncthing has to be asked which items are missing, and takes that for done. Events of the time until the answer
    /// put it in doubt again.
    mutating func takeDoubt() -> Bool {
        defer { isDoubtful = false }
        return isDoubtful
    }

    /// Returns whether Syncthing has to be asked for errors, and takes that for done.
    mutating func takeErrorDoubt() -> Bool {
        defer { areErrorsDoubtful = false }
        return areErrorsDoubtful
    }

    // MARK: Events

    /// Notes that Syncthing begins to fetch a file.
    mutating func begin(_ part: String) {
        started.insert(part)
        progress[part] = nil
        // A failure tells its reason again.
        errors[part] = nil
    }

    /// Notes that Syncthing fetches a file no more. A complete one, without an error, is missing until Syncthing was asked.
    mutating func finish(_ part: String, error: String?, at now: Moment) {
        errors[part] = error
        if error == nil {
            if let total = progress[part]?.total { progress[part]?.done = total }
            room.note(came: part, at: now)
        } else {
            started.remove(part)
            progress[part] = nil
        }
    }

    /// Takes the progress of files. It never falls while a version comes: Syncthing does not tell that of a file whose blocks are all
    /// here, and that of another file may be older than the end of it.
    mutating func take(progress reported: [String: TransferProgress]) {
        for (part, now) in reported {
            if let before = progress[part], before.total == now.total, before.done > now.done { continue }
            progress[part] = now
        }
        progress = progress.filter { reported[$0.key] != nil || started.contains($0.key) }
    }

    /// Takes the errors of an event, which are those of the present fetching.
    mutating func take(errors reported: [FolderError]) {
        errors = Dictionary(reported.map { ($0.path, $0.message) }) { _, last in last }
    }

    /// Notes that Syncthing's database has other versions of files than before.
    mutating func note(indexed parts: [String]) {
        started.subtract(parts)
        doubtErrorsIfAny()
    }

    /// Notes that Syncthing fetches nothing any more.
    mutating func noteIdle() {
        started.removeAll()
        isDoubtful = true
        doubtErrorsIfAny()
    }

    /// Notes that a file is not fetched, since it was evicted.
    mutating func note(evicted part: String) { started.remove(part) }

    /// Notes that events were lost.
    mutating func lostEvents() {
        isDoubtful = true
        areErrorsDoubtful = true
        started.removeAll()
        progress.removeAll()
    }

    /// No event tells that there are none any more.
    private mutating func doubtErrorsIfAny() { if !errors.isEmpty { areErrorsDoubtful = true } }

    // MARK: Answers

    /// Takes the versions that Syncthing lacks. Unless they are in doubt again, the progress of other files is forgotten.
    mutating func take(missing records: [FileRecord], isHere: (String) -> Bool) {
        let records = records.filter { !$0.isDeleted }
        missing = Set(records.map(\.name))
        if !isDoubtful { progress = progress.filter { started.contains($0.key) || missing.contains($0.key) } }
        let files = records.filter { $0.isFile && !isHere($0.name) }
        coming = Dictionary(files.map { ($0.name, AbsentItem($0)) }) { first, _ in first }
    }

    /// Takes the errors that Syncthing was asked for. While it fetches, they are those of the fetching before, so none of them is
    /// that of a file whose start it has told since.
    mutating func take(askedErrors reported: [FolderError]) {
        take(errors: reported)
        errors = errors.filter { !started.contains($0.key) }
    }

    // MARK: States

    /// The files that may have another state than the others.
    var parts: Set<String> { missing.union(errors.keys) }

    /// Adds ``parts`` to a set.
    func addParts(to set: inout Set<String>) {
        set.formUnion(missing)
        set.formUnion(errors.keys)
    }

    /// The files that are not here, and that are under way or lack room.
    var awaited: Set<String> {
        started.union(progress.keys).union(lackingRoom).filter { coming[$0] != nil }
    }

    /// Whether the newest version of a file is not here.
    func isMissing(_ part: String) -> Bool { missing.contains(part) }

    /// Returns the version of a file that is not here at all.
    func version(_ part: String) -> AbsentItem? { coming[part] }

    /// Whether Syncthing has begun to fetch a file, and not ended.
    func isStarted(_ part: String) -> Bool { started.contains(part) }

    /// Whether Syncthing fetches a file, or has its blocks.
    func isUnderWay(_ part: String) -> Bool { started.contains(part) || progress[part] != nil }

    /// Returns how far Syncthing has fetched a file; nil if it has not told.
    func progress(of part: String) -> TransferProgress? { progress[part] }

    /// Returns Syncthing's error for a file.
    func error(of part: String) -> String? { errors[part] }

    // MARK: Room on the disk

    /// The files for which there was no room.
    var lackingRoom: Set<String> { Set(errors.filter { Self.isLackOfRoom($0.value) }.keys) }

    /// Whether Syncthing's error, or the kernel's in it, says that the disk has no room.
    static func isLackOfRoom(_ error: String) -> Bool {
        error.contains("insufficient space") || error.contains("no space left on device")
    }

    /// Returns whether a task has to begin to wait for room. It ends with ``endAwaitingRoom()``.
    mutating func beginAwaitingRoom() -> Bool {
        guard !room.isAwaited, !lackingRoom.isEmpty else { return false }
        room.isAwaited = true
        return true
    }

    /// Notes that no task waits for room any more.
    mutating func endAwaitingRoom() { room.isAwaited = false }

    /// Whether the pause since the last try with room is over.
    func mayTryWithRoom(at now: Moment) -> Bool { now >= room.earliest }

    /// Notes that the files without room are tried again. Those for which there is still no room have their error again.
    mutating func tryWithRoom(at now: Moment) {
        let lacking = lackingRoom
        room.begin(lacking, at: now)
        errors = errors.filter { !lacking.contains($0.key) }
    }
}
