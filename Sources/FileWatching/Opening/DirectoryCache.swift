// The directories that the loop keeps open for look-ups.
// SPDX-License-Identifier: Apache-2.0

/// Open directories by slot, the one used longest ago giving way. An open directory keeps its file system mounted, so those out of
/// use are let go. It only keeps numbers: the watcher opens and closes.
struct DirectoryCache {
    private struct Slot {
        var directory: DirectoryID
        var number: CInt
        var lastUse: UInt64
    }

    private var slots: [Slot?] = []
    private var free: [Int16] = []
    private var used = 0
    private let limit: Int
    /// Counts uses: cheaper than asking for the time.
    private var clock: UInt64 = 0
    /// The clock and the time at the last sweep.
    private var sweptClock: UInt64 = 0
    private var sweptTime: UInt64 = 0
    /// Descriptors of directories that have left the tree.
    private var unclosed: [CInt] = []
    /// Whether all are to be closed when the latest barrier is reached.
    private(set) var closesAll = false

    init(limit: Int) { self.limit = max(2, min(limit, Int(Int16.max))) }

    /// The descriptor in a slot, which counts as a use.
    mutating func use(_ slot: Int16) -> CInt {
        clock += 1
        slots[Int(slot)]?.lastUse = clock
        return slots[Int(slot)]?.number ?? -1
    }

    /// Keeps a descriptor; the one that gives way for it is returned.
    mutating func insert(
        _ number: CInt, for directory: DirectoryID
    ) -> (slot: Int16, evicted: (directory: DirectoryID, number: CInt)?) {
        clock += 1
        var evicted: (DirectoryID, CInt)?
        if used >= limit,
            let oldest = slots.indices.min(by: { (slots[$0]?.lastUse ?? .max) < (slots[$1]?.lastUse ?? .max) }),
            let slot = slots[oldest]
        {
            evicted = (slot.directory, slot.number)
            remove(Int16(oldest))
        }
        let entry = Slot(directory: directory, number: number, lastUse: clock)
        used += 1
        if let slot = free.popLast() {
            slots[Int(slot)] = entry
            return (slot, evicted)
        }
        slots.append(entry)
        return (Int16(slots.count - 1), evicted)
    }

    /// Lets go of a slot and returns its descriptor, to be closed.
    @discardableResult
    mutating func remove(_ slot: Int16) -> CInt {
        guard let entry = slots[Int(slot)] else { return -1 }
        slots[Int(slot)] = nil
        free.append(slot)
        used -= 1
        return entry.number
    }

    /// The descriptor of a directory that has left the tree is to be closed when there is time.
    mutating func closeLater(_ number: CInt) { unclosed.append(number) }

    var unclosedCount: Int { unclosed.count }

    /// Takes a descriptor to be closed; nil for none.
    mutating func takeUnclosed() -> CInt? { unclosed.popLast() }

    /// Everything is to be let go of when the latest barrier is reached.
    mutating func closeAllAtBarrier() { closesAll = true }

    /// Lets go of everything; the descriptors are to be closed.
    mutating func removeAll() -> [(directory: DirectoryID, number: CInt)] {
        closesAll = false
        guard used > 0 else { return [] }
        defer {
            slots.removeAll(keepingCapacity: true)
            free.removeAll(keepingCapacity: true)
            used = 0
        }
        return slots.compactMap { $0.map { ($0.directory, $0.number) } }
    }

    /// When the next sweep is due.
    func nextDeadline(idleTime: UInt64) -> UInt64? { used == 0 ? nil : sweptTime + idleTime }

    /// The directories that were not used since the last sweep, where one is due.
    mutating func sweep(now: UInt64, idleTime: UInt64) -> [(directory: DirectoryID, slot: Int16)] {
        guard used > 0 else {
            sweptTime = now
            return []
        }
        guard now >= sweptTime + idleTime else { return [] }
        var idle: [(DirectoryID, Int16)] = []
        for (index, slot) in slots.enumerated() {
            if let slot, slot.lastUse <= sweptClock { idle.append((slot.directory, Int16(index))) }
        }
        sweptClock = clock
        sweptTime = now
        return idle
    }
}
