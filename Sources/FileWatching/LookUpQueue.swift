// Names to look at: each once in a turn, however many events name it.
// SPDX-License-Identifier: Apache-2.0

/// What made a look-up or a crawl necessary.
struct Origin {
    /// The position in the stream of events, for barriers.
    var cause: UInt64
    /// The comparison or crawl that it counts for and extends; 0 for none.
    var task: UInt32 = 0
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
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []
    /// Indexes of entries, plus 1; 0 is free. The size is a power of two.
    private var table: [UInt32] = Array(repeating: 0, count: 256)
    private var next = 0

    var isEmpty: Bool { next == entries.count }

    /// Adds a name, unless it waits already; the earlier cause then counts.
    mutating func add(
        _ name: UnsafeRawBufferPointer, in directory: DirectoryID, origin: Origin, attempts: UInt8 = 0
    ) {
        let hash = LookUpQueue.hash(name, directory.slot)
        let mask = table.count - 1
        var bucket = Int(hash) & mask
        while table[bucket] != 0 {
            let index = Int(table[bucket]) - 1
            let entry = entries[index]
            if entry.hash == hash, entry.directory == directory, Int(entry.length) == name.count,
                equals(entry, name)
            {
                if index >= next {
                    entries[index].origin.cause = min(entry.origin.cause, origin.cause)
                    if entry.origin.task == 0 { entries[index].origin.task = origin.task }
                    return
                }
                // It was looked at already, but this event came after that.
                break
            }
            bucket = (bucket + 1) & mask
        }
        let offset = names.count
        names.append(contentsOf: name)
        entries.append(
            Entry(
                directory: directory, origin: origin, offset: UInt32(truncatingIfNeeded: offset), hash: hash,
                length: UInt16(truncatingIfNeeded: name.count), attempts: attempts))
        table[bucket] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count * 2 > table.count { grow() }
    }

    /// Takes the next name: copies it with a NUL behind it into the buffer, which has room for 256 bytes.
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Entry? {
        guard next < entries.count else {
            reset()
            return nil
        }
        let entry = entries[next]
        next += 1
        names.withUnsafeBytes {
            let slice = UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)])
            buffer.copyMemory(from: slice)
        }
        buffer[Int(entry.length)] = 0
        return entry
    }

    /// What waits, for barriers.
    func contains(where predicate: (Entry) -> Bool) -> Bool { entries[next...].contains(where: predicate) }

    private mutating func reset() {
        guard !entries.isEmpty else { return }
        // Clearing a table that one burst has made large would cost every later turn.
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

    /// Clears the run of buckets that an entry may lie in.
    private mutating func clear(_ entry: Entry) {
        let mask = table.count - 1
        var bucket = Int(entry.hash) & mask
        while table[bucket] != 0 {
            table[bucket] = 0
            bucket = (bucket + 1) & mask
        }
    }

    private mutating func grow() {
        let size = table.count * 4
        table = Array(repeating: 0, count: size)
        // Only what waits: a name that was taken and has come again must be found in its new place.
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

    private static func hash(_ name: UnsafeRawBufferPointer, _ slot: Int32) -> UInt32 {
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
