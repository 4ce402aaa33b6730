// Names that wait to be looked at: at once, when there is time, or when they are no longer hot.
// SPDX-License-Identifier: Apache-2.0

/// The names that wait to be looked at, in three queues.
///
/// Changes of a file's content, mode and times come in any number; names come and go much less often. So an event that
/// tells of the former has its entry looked at in one of three ways:
///
/// - at once, where there is little to do, and always for a directory of which nothing else waits: a change elsewhere does not
///   stand in line behind a million files that are touched in a loop;
/// - when there is time (the patient queue), after the look-ups due at once, in the order of their coming;
/// - for an entry that was looked at again and again of late (the hot queue), some milliseconds after the last time.
///
/// A name that waits merges with its later events, and is looked at before a barrier that was made meanwhile is
/// reached. Members without a queue in their name are those of the first queue.
struct PendingNames {
    private var prompt = LookUpQueue()
    private var patient = LookUpQueue(countsDirectories: true)
    private var hot = LookUpQueue()
    private var heat = HotEntries()
    /// When the hot ones are looked at.
    private(set) var hotDeadline: UInt64?
    /// By slot of the table of directories: the last iteration in which a name was let past others.
    private var promptIterations: [UInt32] = []

    init() {
        // Events alone add to these.
        (patient.isReceiving, hot.isReceiving) = (true, true)
    }

    // MARK: All queues

    /// How many names wait.
    var countOfAll: Int { prompt.count + patient.count + hot.count }

    /// How many names wait that bar further reading: hot ones merge with later events.
    var countOfCold: Int { prompt.count + patient.count }

    /// The counts, for a person.
    var counts: String { "\(prompt.count) + \(patient.count) + \(hot.count) hot" }

    /// Whether a name waits.
    func waits(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        prompt.waits(name, in: directory) || patient.waits(name, in: directory) || hot.waits(name, in: directory)
    }

    /// Returns whether any of the names waits that an event before a position has caused, in a directory for which `concerns`
    /// returns true.
    func waits(before position: UInt64, where concerns: (DirectoryID) -> Bool) -> Bool {
        let isWaitedFor = { (entry: LookUpQueue.Entry) in
            entry.origin.position < position && concerns(entry.directory)
        }
        if prompt.contains(where: isWaitedFor) { return true }
        for queue in [patient, hot] {
            // Only events add to them, so the oldest position is that of the first.
            guard let oldest = queue.oldestPosition, oldest < position else { continue }
            if queue.contains(where: isWaitedFor) { return true }
        }
        return false
    }

    /// A position that no name's position lies before; `UInt64.max` if none waits. Takes constant time.
    var leastPosition: UInt64 {
        var least = prompt.isEmpty ? UInt64.max : prompt.leastPosition
        if let oldest = patient.oldestPosition { least = min(least, oldest) }
        if let oldest = hot.oldestPosition { least = min(least, oldest) }
        return least
    }

    // MARK: Changes of contents, modes and times

    /// Adds an entry whose content, mode or times have changed, by an event. Returns whether it waits as a hot one.
    /// - Parameters:
    ///   - forced: up to this position barriers wait for hot names, too.
    ///   - interval: how far apart look-ups of a hot name are, in nanoseconds.
    ///   - slots: the size of the table of directories.
    mutating func addChanged(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, origin: Origin, forced: UInt64, interval: UInt64,
        slots: Int, _ iteration: LoopIteration
    ) -> Bool {
        let hash = LookUpQueue.hash(name, id.slot)
        if prompt.merge(name, hash: hash, in: id, origin: origin, isExpected: true) { return false }
        if origin.position >= forced, let time = heat.notBefore(hash, now: iteration.began, interval: interval) {
            hot.add(name, hash: hash, in: id, origin: origin, isExpected: true)
            hotDeadline = min(hotDeadline ?? .max, time)
            return true
        }
        if prompt.count < WatchLimits.promptLookUps || takeFirst(id, slots: slots, iteration.number) {
            prompt.add(name, hash: hash, in: id, origin: origin, isExpected: true)
        } else {
            patient.add(name, hash: hash, in: id, origin: origin, isExpected: true)
        }
        return false
    }

    /// Returns whether nothing of a directory waits, and nothing of it was let past in this iteration. Notes that it is let past then.
    private mutating func takeFirst(_ id: DirectoryID, slots: Int, _ iteration: UInt32) -> Bool {
        let slot = Int(id.slot)
        if slot >= promptIterations.count {
            promptIterations.append(contentsOf: repeatElement(0, count: slots - promptIterations.count))
        }
        guard promptIterations[slot] != iteration, patient.waiting(in: id) == 0 else { return false }
        promptIterations[slot] = iteration
        return true
    }

    /// Has the hot names looked at whose time has come, or which a barrier waits for: all of them, so that they go on in step and
    /// wake the loop once.
    /// - Parameter buffer: room for the longest name (``WatchLimits/nameLength``) and a NUL.
    mutating func releaseHot(now: UInt64, forced: UInt64, buffer: UnsafeMutableRawBufferPointer) {
        guard let time = hotDeadline else { return }
        let isForced = hot.oldestPosition.map { $0 < forced } ?? false
        guard now >= time || isForced else { return }
        hotDeadline = nil
        // Events alone have asked for them.
        prompt.isReceiving = true
        defer { prompt.isReceiving = false }
        while let entry = hot.take(into: buffer) {
            let name = UnsafeRawBufferPointer(rebasing: buffer[..<Int(entry.length)])
            prompt.add(name, in: entry.directory, origin: entry.origin, isExpected: entry.isExpected)
        }
    }

    /// A name is being looked at.
    mutating func lookedAt(_ entry: LookUpQueue.Entry, now: UInt64, interval: UInt64) {
        heat.lookedAt(entry.hash, now: now, interval: interval)
    }

    // MARK: The patient queue

    var hasPatient: Bool { !patient.isEmpty }
    /// How many patient names were taken, ever, and how many will have been when those that wait now are.
    var takenPatient: UInt64 { patient.taken }
    var endOfPatient: UInt64 { patient.end }

    /// As ``take(into:)``.
    mutating func takePatient(into buffer: UnsafeMutableRawBufferPointer) -> LookUpQueue.Entry? {
        patient.take(into: buffer)
    }

    // MARK: The first queue

    var isEmpty: Bool { prompt.isEmpty }
    var count: Int { prompt.count }
    var taken: UInt64 { prompt.taken }
    var end: UInt64 { prompt.end }
    var unreceived: Int { prompt.unreceived }

    /// Whether the entries added now are asked for by events that name them.
    mutating func setReceiving(_ isReceiving: Bool) { prompt.isReceiving = isReceiving }

    /// The tasks that are comparisons; see ``LookUpQueue/comparisons``.
    var comparisons: Set<UInt32> {
        get { prompt.comparisons }
        set { prompt.comparisons = newValue }
    }

    /// See ``LookUpQueue/add(_:in:origin:attempts:isExpected:isArrival:isReported:isUnlinked:)``.
    mutating func add(
        _ name: UnsafeRawBufferPointer, in directory: DirectoryID, origin: Origin, attempts: UInt8 = 0,
        isExpected: Bool = false, isArrival: Bool = false, isReported: Bool = false, isUnlinked: Bool = false
    ) {
        prompt.add(
            name, in: directory, origin: origin, attempts: attempts, isExpected: isExpected, isArrival: isArrival,
            isReported: isReported, isUnlinked: isUnlinked)
    }

    /// See ``LookUpQueue/addRenamed(_:in:origin:isArrival:)``.
    mutating func addRenamed(
        _ name: UnsafeRawBufferPointer, in directory: DirectoryID, origin: Origin, isArrival: Bool = false
    ) {
        prompt.addRenamed(name, in: directory, origin: origin, isArrival: isArrival)
    }

    /// Whether a name waits of which something was heard that says why another file may be there.
    func isUnexpected(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        prompt.isUnexpected(name, in: directory)
    }

    /// Whether look-ups wait that count for a task.
    func contains(task: UInt32) -> Bool { prompt.contains(task: task) }

    /// Calls with each that waits, and its name.
    func forEach(_ body: (LookUpQueue.Entry, UnsafeRawBufferPointer) -> Void) { prompt.forEach(body) }

    /// Takes the next name: copies it with a NUL behind it into the buffer, which has room for the longest
    /// (``WatchLimits/nameLength``).
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> LookUpQueue.Entry? { prompt.take(into: buffer) }
}
