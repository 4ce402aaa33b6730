// Names to look at: each once in an iteration, however many events name it.
// SPDX-License-Identifier: Apache-2.0

/// The reason for a look-up or a crawl.
struct Origin {
    /// The position of the event in the stream, for barriers.
    var position: UInt64
    /// The comparison or crawl that it counts for and extends; 0 for none.
    var task: UInt32 = 0

    /// No event reported a finding of a poll or an audit: no barrier waits for it.
    static let unreported = Origin(position: .max)
}

/// Names in directories, waiting to be looked at in the order in which they came. Names are kept in one buffer, and an
/// open hash table finds those that are there already. An empty name means the directory itself.
struct LookUpQueue {
    struct Entry {
        var directory: DirectoryID
        var origin: Origin
        var offset: UInt32
        var hash: UInt32
        var length: UInt16
        /// How often it had to wait.
        var attempts: UInt8
        /// Nothing that was heard of says why it should not be there; where it is not, something in the queue does.
        var isExpected: Bool
        /// Whether only events that name it have asked for it: a process that reads them again asks again.
        var isReceived: Bool
        /// Whether one has, beside whatever else.
        var isReported: Bool
        /// It had to wait before, also where it joined another.
        var hasWaited: Bool
        /// The file there has come from another container, whatever names it had in this one.
        var isArrival = false
        /// A rename has left or taken this name since whatever had to wait for it began to.
        var isRenamed = false
        /// Whether the last event that named it and was no change of content told of its deletion.
        var isUnlinked = false
        /// Whether its content was changed after that, through a descriptor that was open.
        var isWrittenUnlinked = false
        /// Whether the events of the name explain another file there.
        var isUnexpected: Bool { !isExpected || isArrival }
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []
    /// Whether the entries added now are asked for by events that name them.
    var isReceiving = false
    /// Indexes of entries, plus 1; 0 is free. The size is a power of two.
    private var table: [UInt32] = Array(repeating: 0, count: 256)
    private var next = 0
    /// The tasks that are comparisons. These go on only after their own look-ups, so a look-up that several tasks have
    /// asked for counts for one of them rather than for a crawl.
    var comparisons: Set<UInt32> = []
    /// How many wait for each task.
    private var ofTask: [UInt32: Int] = [:]
    /// How many wait in each directory, by slot, where that is asked for.
    private var ofDirectory: [UInt32] = []
    private let countsDirectories: Bool

    init(countsDirectories: Bool = false) { self.countsDirectories = countsDirectories }

    var isEmpty: Bool { next == entries.count }
    /// How many wait.
    var count: Int { entries.count - next }
    /// How many were taken, ever, and how many will have been when those that wait now are.
    private(set) var taken: UInt64 = 0
    var end: UInt64 { taken + UInt64(count) }
    /// The position of the one that waits longest. If only events add to the queue, no entry has an earlier one.
    var oldestPosition: UInt64? { isEmpty ? nil : entries[next].origin.position }

    /// How many wait that something else has asked for than events that name them, and a position that none of all has one before.
    private(set) var unreceived = 0
    private(set) var leastPosition = UInt64.max

    /// Whether look-ups wait that count for a task.
    func contains(task: UInt32) -> Bool { ofTask[task] != nil }

    /// How many names wait in a directory, or in one that had its slot before.
    func waiting(in directory: DirectoryID) -> Int {
        Int(directory.slot) < ofDirectory.count ? Int(ofDirectory[Int(directory.slot)]) : 0
    }

    /// Adds a name, unless it waits already; the earlier position then counts.
    mutating func add(
        _ name: UnsafeRawBufferPointer, in directory: DirectoryID, origin: Origin, attempts: UInt8 = 0,
        isExpected: Bool = false, isArrival: Bool = false, isReported: Bool = false, isUnlinked: Bool = false
    ) {
        add(
            name, hash: LookUpQueue.hash(name, directory.slot), in: directory, origin: origin, attempts: attempts,
            isExpected: isExpected, isArrival: isArrival, isReported: isReported, isUnlinked: isUnlinked)
    }

    /// The same of a name that a rename has left or taken, as its last event: whatever its earlier events, another file
    /// there has a queued event.
    mutating func addRenamed(
        _ name: UnsafeRawBufferPointer, in directory: DirectoryID, origin: Origin, isArrival: Bool = false
    ) {
        let hash = LookUpQueue.hash(name, directory.slot)
        add(name, hash: hash, in: directory, origin: origin, isExpected: true)
        if let index = find(name, hash, directory).index {
            entries[index].isExpected = true
            (entries[index].isArrival, entries[index].isRenamed) = (isArrival, true)
            (entries[index].isUnlinked, entries[index].isWrittenUnlinked) = (false, false)
        }
    }

    /// Whether a name waits of which something was heard that says why another file may be there.
    func isUnexpected(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        guard !isEmpty, let index = find(name, LookUpQueue.hash(name, directory.slot), directory).index else {
            return false
        }
        return entries[index].isUnexpected
    }

    /// Whether a name waits.
    func waits(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) -> Bool {
        !isEmpty && find(name, LookUpQueue.hash(name, directory.slot), directory).index != nil
    }

    /// Where the name waits, or the bucket for it.
    private func find(
        _ name: UnsafeRawBufferPointer, _ hash: UInt32, _ directory: DirectoryID
    ) -> (index: Int?, bucket: Int) {
        let mask = table.count - 1
        var bucket = Int(hash) & mask
        while table[bucket] != 0 {
            let index = Int(table[bucket]) - 1
            let entry = entries[index]
            if entry.hash == hash, entry.directory == directory, Int(entry.length) == name.count,
                equals(entry, name)
            {
                // Where it was looked at already, this event came after that.
                return (index >= next ? index : nil, bucket)
            }
            bucket = (bucket + 1) & mask
        }
        return (nil, bucket)
    }

    /// Joins a name with the same one that waits; false where none does.
    mutating func merge(
        _ name: UnsafeRawBufferPointer, hash: UInt32, in directory: DirectoryID, origin: Origin, isExpected: Bool
    ) -> Bool {
        guard !isEmpty, let index = find(name, hash, directory).index else { return false }
        merge(origin, isExpected: isExpected, into: index)
        return true
    }

    private mutating func merge(
        _ origin: Origin, isExpected: Bool, isArrival: Bool = false, isUnlinked: Bool = false, into index: Int
    ) {
        if isReceiving, !isExpected {
            entries[index].isUnlinked = isUnlinked
        } else if isReceiving, entries[index].isUnlinked {
            entries[index].isWrittenUnlinked = true
        }
        if !isExpected {
            entries[index].isExpected = false
            entries[index].isArrival = false
        } else if isArrival, entries[index].isExpected, !entries[index].isRenamed {
            // It has waited; the only later events of the name report writes to the file there.
            entries[index].isArrival = true
        }
        if isReceiving {
            entries[index].isReported = true
        } else if entries[index].isReceived {
            entries[index].isReceived = false
            unreceived += 1
        }
        leastPosition = min(leastPosition, origin.position)
        entries[index].origin.position = min(entries[index].origin.position, origin.position)
        let former = entries[index].origin.task
        guard origin.task != 0, origin.task != former,
            former == 0 || (comparisons.contains(origin.task) && !comparisons.contains(former))
        else { return }
        entries[index].origin.task = origin.task
        ofTask[origin.task, default: 0] += 1
        release(former)
    }

    private mutating func release(_ task: UInt32) {
        guard task != 0, let count = ofTask[task] else { return }
        ofTask[task] = count > 1 ? count - 1 : nil
    }

    /// As the other, for a name whose hash is known.
    mutating func add(
        _ name: UnsafeRawBufferPointer, hash: UInt32, in directory: DirectoryID, origin: Origin, attempts: UInt8 = 0,
        isExpected: Bool = false, isArrival: Bool = false, isReported: Bool = false, isUnlinked: Bool = false
    ) {
        let (index, bucket) = find(name, hash, directory)
        if let index {
            merge(origin, isExpected: isExpected, isArrival: isArrival, isUnlinked: isUnlinked, into: index)
            if attempts > 0 { entries[index].hasWaited = true }
            if isReported { entries[index].isReported = true }
            return
        }
        if origin.task != 0 { ofTask[origin.task, default: 0] += 1 }
        leastPosition = isEmpty ? origin.position : min(leastPosition, origin.position)
        if !isReceiving { unreceived += 1 }
        if countsDirectories {
            let slot = Int(directory.slot)
            if slot >= ofDirectory.count {
                ofDirectory.append(contentsOf: repeatElement(0, count: max(slot + 1 - ofDirectory.count, 256)))
            }
            ofDirectory[slot] += 1
        }
        let offset = names.count
        names.append(contentsOf: name)
        entries.append(
            Entry(
                directory: directory, origin: origin, offset: UInt32(truncatingIfNeeded: offset), hash: hash,
                length: UInt16(truncatingIfNeeded: name.count), attempts: attempts, isExpected: isExpected,
                isReceived: isReceiving, isReported: isReported || isReceiving, hasWaited: attempts > 0,
                isArrival: isArrival, isUnlinked: isUnlinked))
        table[bucket] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count * 2 > table.count { grow() }
    }

    /// Takes the next name: copies it with a NUL behind it into the buffer, which has room for the longest
    /// (``WatchLimits/nameLength``).
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Entry? {
        guard next < entries.count else {
            reset()
            return nil
        }
        let entry = entries[next]
        next += 1
        taken += 1
        if !entry.isReceived { unreceived -= 1 }
        release(entry.origin.task)
        if countsDirectories { ofDirectory[Int(entry.directory.slot)] -= 1 }
        names.withUnsafeBytes {
            let slice = UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)])
            buffer.copyMemory(from: slice)
        }
        buffer[Int(entry.length)] = 0
        // Under constant writes it may never be empty.
        if next >= 4_096, next * 2 > entries.count { compact() }
        return entry
    }

    /// Calls with each that waits, and its name.
    func forEach(_ body: (Entry, UnsafeRawBufferPointer) -> Void) {
        guard !isEmpty else { return }
        names.withUnsafeBytes { names in
            for entry in entries[next...] {
                let end = Int(entry.offset) + Int(entry.length)
                body(entry, UnsafeRawBufferPointer(rebasing: names[Int(entry.offset)..<end]))
            }
        }
    }

    /// Whether the queue has such an entry, for barriers.
    func contains(where predicate: (Entry) -> Bool) -> Bool { entries[next...].contains(where: predicate) }

    private mutating func reset() {
        guard !entries.isEmpty else { return }
        // Clearing a table that one burst has made large would cost every later iteration.
        if table.count > 4096, entries.count * 16 < table.count {
            table = Array(repeating: 0, count: 256)
        } else if entries.count < 16 {
            for entry in entries { clear(entry) }
        } else {
            for index in table.indices { table[index] = 0 }
        }
        entries.removeAll(keepingCapacity: entries.count < 65_536)
        names.removeAll(keepingCapacity: names.count < 1_048_576)
        next = 0
    }

    /// Lets go of the entries that were taken.
    private mutating func compact() {
        guard next < entries.count else { return }
        let start = Int(entries[next].offset)
        names.removeFirst(start)
        entries.removeFirst(next)
        next = 0
        leastPosition = .max
        for index in entries.indices {
            entries[index].offset -= UInt32(truncatingIfNeeded: start)
            leastPosition = min(leastPosition, entries[index].origin.position)
        }
        var size = 256
        while size < entries.count * 2 { size *= 2 }
        rebuildTable(size)
    }

    /// Clears the run of buckets that an entry may lie in.
    private mutating func clear(_ entry: Entry) {
        let mask = table.count - 1
        var bucket = Int(entry.hash) & mask
        while table[bucket] != 0 {
            table[bucket] = 0
            bucket = (bucket + 1) & mask
        }
    }

    private mutating func grow() { rebuildTable(table.count * 4) }

    private mutating func rebuildTable(_ size: Int) {
        table = Array(repeating: 0, count: size)
        // Only waiting entries: a name that was taken and has come again must be found in its new place.
        for index in next..<entries.count {
            let entry = entries[index]
            var bucket = Int(entry.hash) & (size - 1)
            while table[bucket] != 0 { bucket = (bucket + 1) & (size - 1) }
            table[bucket] = UInt32(truncatingIfNeeded: index + 1)
        }
    }

    private func equals(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> Bool {
        names.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)])
                .elementsEqual(name)
        }
    }

    static func hash(_ name: UnsafeRawBufferPointer, _ slot: Int32) -> UInt32 {
        var state = UInt64(truncatingIfNeeded: slot) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(name.count)
        var offset = 0
        while offset + 8 <= name.count {
            state = (state ^ name.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 32
            offset += 8
        }
        while offset < name.count {
            state = (state ^ UInt64(name[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset += 1
        }
        state ^= state >> 29
        return UInt32(truncatingIfNeeded: state &* 0xBF58_476D_1CE4_E5B9 >> 32)
    }
}
