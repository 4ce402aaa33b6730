// The contents of a store in memory.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// The contents of a store in memory: all changes that were seen, and those that its own file has to have.
struct KeyValueContents: Sendable {
    /// The last change of each key, of all files and of this store.
    private(set) var merged = KeyValueTable()
    /// The changes that the own file has to have.
    private(set) var own = KeyValueTable()
    private(set) var clock = KeyValueClock()
    /// Counts changes of ``own``.
    private(set) var generation = 0
    /// The ``generation`` that is on disk.
    private(set) var savedGeneration = 0
    var isClosed = false
    /// Whether a task will write the file.
    var isSavingScheduled = false
    /// Whether files of other devices were merged before.
    var hasSeenOthers = false
    var problems: [KeyValueProblem] = []
    var savingError: DocumentError?

    /// Whether the own file lacks changes.
    var isDirty: Bool { generation != savedGeneration }

    /// Sets a key, or removes it if the value is nil. A key that has no value is not removed again.
    mutating func set(
        _ value: KeyValue?, forKey key: String, now: Int64, device: String
    ) throws(DocumentError) {
        guard !isClosed else { throw .closed }
        if let value {
            if let obstacle = merged.obstacle(setting: value, forKey: key) { throw obstacle }
        } else if merged[key]?.value == nil {
            return
        }
        guard let stamp = clock.next(now: now, replacing: merged[key]?.stamp, device: device) else {
            throw .clockExhausted(key: key)
        }
        let entry = KeyValueEntry(key: key, stamp: stamp, value: value)
        merged.merge(entry)
        own.merge(entry)
        generation += 1
    }

    /// Merges the files that were read. Returns the keys whose values changed.
    mutating func merge(_ reading: KeyValueReading) -> Set<String> {
        for clock in reading.clocks { self.clock.observe(time: clock.time, counter: clock.counter) }
        return merge(reading.table)
    }

    private mutating func merge(_ table: KeyValueTable) -> Set<String> {
        var changed: Set<String> = []
        for entry in table.entries.values {
            let old = merged[entry.key]
            guard merged.merge(entry) else { continue }
            clock.observe(time: entry.stamp.time, counter: entry.stamp.counter)
            if old?.text ?? [] != entry.text { changed.insert(entry.key) }
        }
        return changed
    }

    /// Takes entries over, so that the own file has them, too.
    mutating func adopt(_ entries: some Sequence<KeyValueEntry>) {
        for entry in entries where own.merge(entry) {
            merged.merge(entry)
            generation += 1
        }
    }

    /// Returns the contents that the own file has to have, and their generation.
    ///
    /// Where another device has changed a key of the file since, the file gets that change. Otherwise values that no
    /// program reads any more would fill it.
    mutating func file() -> (KeyValueFile, Int) {
        for key in own.entries.keys {
            if let entry = merged[key] { own.merge(entry) }
        }
        own.dropTombstones(above: KeyValueLimits.mostTombstones)
        return (KeyValueFile(clock: clock, table: own, hasSeenOthers: hasSeenOthers), generation)
    }

    /// Notes that a file is on disk. It has the contents of ``file()``, and those that were in its slot before.
    mutating func saved(_ file: KeyValueFile, generation: Int) -> Set<String> {
        savedGeneration = max(savedGeneration, generation)
        own.merge(file.table)
        hasSeenOthers = hasSeenOthers || file.hasSeenOthers
        clock.observe(time: file.clock.time, counter: file.clock.counter)
        return merge(file.table)
    }

    /// Has the own file written again, since it is missing. A store that never set anything has none.
    mutating func rewrite() {
        if own.entries.isEmpty { return }
        generation += 1
    }
}
