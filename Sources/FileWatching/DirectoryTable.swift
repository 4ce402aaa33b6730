// The directories that the watcher has entered, found by their node and by their watch.
// SPDX-License-Identifier: Apache-2.0

/// A directory that the watcher has entered. Slots are used again; the generation tells their occupants apart, so that
/// a late result or event cannot hit a new one.
struct DirectoryID: Hashable, Sendable {
    var slot: Int32
    var generation: UInt32
}

/// The watcher's facts about a directory beyond those of the tree.
struct DirectoryRecord {
    struct Flags: OptionSet {
        var rawValue: UInt16
        static let alive = Flags(rawValue: 1)
        /// It cannot be read, or entries in it cannot be looked at.
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
        /// It may not be read or not be searched, so nothing in it is looked at: see ``TreeWatcher/markInaccessible(_:_:_:)``.
        static let inaccessible = Flags(rawValue: 1_024)
        /// It became inaccessible while a job to read it was on its way.
        static let inaccessibleMeanwhile = Flags(rawValue: 2_048)
        /// An event has told of its mode, its owner or its access control list since it was looked at.
        static let attributesReported = Flags(rawValue: 4_096)
    }

    var node: TreeNode
    var device: UInt64
    var inode: UInt64
    var watch: Int32 = -1
    var generation: UInt32
    /// The round (see ``CrawlPool/round``) in which it was read last.
    var round: UInt32 = 0
    /// The task by which it came to be read for the first time, or anew: for as long as that is under way.
    var crawl: UInt32 = 0
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
    /// The slots by the contents of their records.
    private var byNode = NumberTable()
    private var byWatch = NumberTable()
    // Events come in runs for one watch.
    private var lastWatch: Int32 = -1
    private var lastSlot: Int32 = -1

    /// Whether changes of records are noted.
    var notesChanges = false
    private var noted: [Int32] = []
    /// Directories that cannot be read, or not be reached: they are read again when that may have changed.
    private(set) var unreadable: Set<DirectoryID> = []

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

    /// A directory cannot be read, or can again. Returns false if that was so before.
    mutating func setUnreadable(_ id: DirectoryID, _ isUnreadable: Bool) -> Bool {
        if isUnreadable {
            unreadable.insert(id)
            return self[id].flags.insert(.unreadable).inserted
        }
        unreadable.remove(id)
        return self[id].flags.remove(.unreadable) != nil
    }

    func isAlive(_ id: DirectoryID) -> Bool {
        let record = records[Int(id.slot)]
        return record.generation == id.generation && record.flags.contains(.alive)
    }

    func id(ofSlot slot: Int32) -> DirectoryID {
        DirectoryID(slot: slot, generation: records[Int(slot)].generation)
    }

    func directory(at node: TreeNode) -> DirectoryID? {
        byNode.find(DirectoryTable.key(node)) { records[Int($0)].node == node }.map(id(ofSlot:))
    }

    mutating func directory(watch: Int32) -> DirectoryID? {
        if watch == lastWatch, watch >= 0 { return id(ofSlot: lastSlot) }
        guard watch >= 0, let slot = byWatch.find(WatchNumbers.key(watch), where: { records[Int($0)].watch == watch })
        else { return nil }
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
        setSlot(of: node, to: slot)
        return id(ofSlot: slot)
    }

    /// Makes room for so many directories more, which are about to be added.
    mutating func reserve(_ count: Int) {
        // An exact capacity would make each added container copy those before it.
        if records.capacity - records.count < count {
            records.reserveCapacity(max(records.count + count, 2 * records.capacity))
        }
        if notesChanges, noted.capacity - noted.count < count {
            noted.reserveCapacity(max(noted.count + count, 2 * noted.capacity))
        }
        let records = records
        byNode.reserve(count) { DirectoryTable.key(records[Int($0)].node) }
        byWatch.reserve(count) { WatchNumbers.key(records[Int($0)].watch) }
    }

    /// Takes a directory out. Its watch and its descriptor must have been taken from it.
    mutating func remove(_ id: DirectoryID) {
        let record = self[id]
        assert(record.watch < 0 && record.cacheSlot < 0)
        removeSlot(of: record.node, id.slot)
        self[id].flags = []
        free.append(id.slot)
    }

    /// The directory is another node of the tree from now on.
    mutating func setNode(_ id: DirectoryID, to node: TreeNode) {
        removeSlot(of: self[id].node, id.slot)
        self[id].node = node
        setSlot(of: node, to: id.slot)
    }

    /// Gives a directory its watch (-1 for none).
    mutating func setWatch(_ id: DirectoryID, to watch: Int32) {
        let old = records[Int(id.slot)].watch
        if old >= 0 {
            let records = records
            if byWatch.remove(id.slot, WatchNumbers.key(old), keyOf: { WatchNumbers.key(records[Int($0)].watch) }),
                lastWatch == old
            {
                lastWatch = -1
            }
        }
        self[id].watch = watch
        guard watch >= 0 else { return }
        if lastWatch == watch { lastWatch = -1 }
        let records = records
        byWatch.set(id.slot, WatchNumbers.key(watch), keyOf: { WatchNumbers.key(records[Int($0)].watch) }) {
            records[Int($0)].watch == watch
        }
    }

    // MARK: Contents of slots

    @inline(__always)
    private static func key(_ node: TreeNode) -> UInt64 { UInt64(node.container) << 32 | UInt64(node.row) }

    /// The slot's record has the node already.
    private mutating func setSlot(of node: TreeNode, to slot: Int32) {
        let records = records
        byNode.set(slot, DirectoryTable.key(node), keyOf: { DirectoryTable.key(records[Int($0)].node) }) {
            records[Int($0)].node == node
        }
    }

    /// The slot's record has the node still.
    private mutating func removeSlot(of node: TreeNode, _ slot: Int32) {
        let records = records
        byNode.remove(slot, DirectoryTable.key(node)) { DirectoryTable.key(records[Int($0)].node) }
    }

    /// Gives a directory that has none the watch that it had in another process.
    mutating func resume(_ id: DirectoryID, watch: Int32, depth: UInt16, wasRead: Bool) {
        setWatch(id, to: watch)
        records[Int(id.slot)].depth = depth
        if wasRead { records[Int(id.slot)].flags.insert(.wasRead) }
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
