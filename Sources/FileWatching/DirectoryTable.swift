// The directories that the watcher has entered, found by their node and by their watch.
// SPDX-License-Identifier: Apache-2.0

/// A directory that the watcher has entered. Slots are used again; the generation tells their occupants apart, so that
/// a late result or event cannot hit a new one.
struct DirectoryID: Hashable, Sendable {
    var slot: Int32
    var generation: UInt32
}

/// What the watcher knows of a directory beyond what the tree knows.
struct DirectoryRecord {
    struct Flags: OptionSet {
        var rawValue: UInt16
        static let alive = Flags(rawValue: 1)
        /// It cannot be read, or entries in it cannot be looked at, until its mode changes.
        static let unreadable = Flags(rawValue: 2)
        /// It has no watch for want of watches: it is polled.
        static let unwatched = Flags(rawValue: 4)
        /// Reading it failed, or its watch was lost: the next look-up that finds it has it read again.
        static let needsReading = Flags(rawValue: 8)
        /// It has been read at least once.
        static let wasRead = Flags(rawValue: 16)
        /// A job to read it is on its way.
        static let reading = Flags(rawValue: 32)
        /// It has changed since that job was asked for.
        static let changedMeanwhile = Flags(rawValue: 64)
        /// It is polled since there are too few watches, not for want of something else.
        static let overLimit = Flags(rawValue: 128)
        /// A directory of another container has taken its watch.
        static let contested = Flags(rawValue: 256)
        /// It may have changed since ``DirectoryTable/takeNoted()``.
        static let noted = Flags(rawValue: 512)
    }

    var node: TreeNode
    var device: UInt64
    var inode: UInt64
    var watch: Int32 = -1
    var generation: UInt32
    /// The round (see ``CrawlPool/round``) in which it was read last.
    var round: UInt32 = 0
    /// Where its open descriptor is kept, or -1.
    var cacheSlot: Int16 = -1
    var flags: Flags = .alive
    /// How many directories lie above it, as far as it was known when it was read last.
    var depth: UInt16 = 0
}

/// The directories in slots, with both ways to find one.
struct DirectoryTable {
    private(set) var records: [DirectoryRecord] = []
    private var free: [Int32] = []
    private var byNode: [TreeNode: Int32] = [:]
    private var byWatch: [Int32: Int32] = [:]
    // Events come in runs for one watch.
    private var lastWatch: Int32 = -1
    private var lastSlot: Int32 = -1

    /// Whether changes of records are noted.
    var notesChanges = false
    private var noted: [Int32] = []

    subscript(id: DirectoryID) -> DirectoryRecord {
        get { records[Int(id.slot)] }
        _modify {
            if notesChanges { note(id.slot) }
            yield &records[Int(id.slot)]
        }
    }

    private mutating func note(_ slot: Int32) {
        if records[Int(slot)].flags.insert(.noted).inserted { noted.append(slot) }
    }

    /// The slots of the records that may have changed; some may come twice.
    mutating func takeNoted() -> [Int32] {
        guard !noted.isEmpty else { return [] }
        defer { noted = [] }
        for slot in noted { records[Int(slot)].flags.remove(.noted) }
        return noted
    }

    func isAlive(_ id: DirectoryID) -> Bool {
        let record = records[Int(id.slot)]
        return record.generation == id.generation && record.flags.contains(.alive)
    }

    func id(ofSlot slot: Int32) -> DirectoryID {
        DirectoryID(slot: slot, generation: records[Int(slot)].generation)
    }

    func directory(at node: TreeNode) -> DirectoryID? { byNode[node].map(id(ofSlot:)) }

    mutating func directory(watch: Int32) -> DirectoryID? {
        if watch == lastWatch, watch >= 0 { return id(ofSlot: lastSlot) }
        guard let slot = byWatch[watch] else { return nil }
        lastWatch = watch
        lastSlot = slot
        return id(ofSlot: slot)
    }

    /// Adds a directory; its node must not be in the table.
    mutating func insert(node: TreeNode, device: UInt64, inode: UInt64) -> DirectoryID {
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            let generation = records[Int(slot)].generation &+ 1
            records[Int(slot)] = DirectoryRecord(node: node, device: device, inode: inode, generation: generation)
        } else {
            slot = Int32(records.count)
            records.append(DirectoryRecord(node: node, device: device, inode: inode, generation: 0))
        }
        if notesChanges { note(slot) }
        byNode[node] = slot
        return id(ofSlot: slot)
    }

    /// Takes a directory out. Its watch and its descriptor must have been taken from it.
    mutating func remove(_ id: DirectoryID) {
        let record = self[id]
        assert(record.watch < 0 && record.cacheSlot < 0)
        if byNode[record.node] == id.slot { byNode[record.node] = nil }
        self[id].flags = []
        free.append(id.slot)
    }

    /// The directory is another node of the tree from now on.
    mutating func setNode(_ id: DirectoryID, to node: TreeNode) {
        if byNode[self[id].node] == id.slot { byNode[self[id].node] = nil }
        self[id].node = node
        byNode[node] = id.slot
    }

    /// Gives a directory its watch (-1 for none).
    mutating func setWatch(_ id: DirectoryID, to watch: Int32) {
        let old = self[id].watch
        if old >= 0, byWatch[old] == id.slot {
            byWatch[old] = nil
            if lastWatch == old { lastWatch = -1 }
        }
        self[id].watch = watch
        if watch >= 0 { byWatch[watch] = id.slot }
    }

    /// A file system has another number than before.
    mutating func renumber(deviceFrom: UInt64, to device: UInt64, in container: UInt32) {
        for slot in records.indices
        where records[slot].node.container == container && records[slot].device == deviceFrom {
            if notesChanges { note(Int32(slot)) }
            records[slot].device = device
        }
    }

    /// The directories of a container, in no order.
    func directories(of container: UInt32, where include: (DirectoryRecord) -> Bool) -> [DirectoryID] {
        var found: [DirectoryID] = []
        for (slot, record) in records.enumerated()
        where record.flags.contains(.alive) && record.node.container == container && include(record) {
            found.append(DirectoryID(slot: Int32(slot), generation: record.generation))
        }
        return found
    }
}
