// The handover to the next process beside the snapshot: unprocessed events, and the watches.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Memory that stays with the service manager while the daemon is started again, beside the inotify descriptor that it
/// belongs to. Its contents are as fleeting as the watches themselves, and end with them when the machine does:
///
/// - the ring of events (``EventRing``);
/// - for each directory its watch, and whether the snapshot has all of its entries (``HandoverEntry``);
/// - for each container whether the watches are all that is needed to go on with the snapshot;
/// - the work under way when something was saved last (``IterationState``), in two places by turns: the one that counts is
///   named by the last number in the journal, so both are of one moment however the process ended.
///
/// The snapshot and this are brought together once an iteration, in this order: statements that claim less than before
/// (``HandoverMemory`` first), the journal, statements that claim more. Ended anywhere in between, the next process knows
/// less than it might, and reads a directory more.
///
/// Nothing in it is believed without a look: it may be of another version, of another daemon, or damaged. Such a look
/// finds only damage that leaves an impossible value. There is no checksum, since each word must hold by itself at
/// every moment: a name or a watch that has become another, which memory does not do, would be believed.
///
/// Unchecked: only the event loop writes and reads it once it was made.
package final class HandoverMemory: @unchecked Sendable {
    private let memory: SharedMemory
    package let ring: EventRing

    // The header, in bytes.
    private static let magicPlace = 0
    private static let fingerprintPlace = 8
    private static let tokenPlace = 16
    private static let runPlaces = [24, 32]
    private static let tableCountPlace = 40
    private static let mountsPlace = 48
    private static let ringPlace = 64
    // The parts behind it.
    private static let containersOffset = 4_096
    package static let containerCapacity = 1_024
    private static let containerSize = 16
    private static let statesOffset = containersOffset + containerCapacity * containerSize
    private static let stateSize = 128 << 10
    private static let mountsOffset = statesOffset + 2 * stateSize
    private static let mountsSize = 64 << 10
    /// A multiple of each page size of Linux (4 to 64 KiB).
    static let ringOffset = (mountsOffset + mountsSize + 65_535) / 65_536 * 65_536
    private static let ringSize = 4 << 20
    private static let tableOffset = ringOffset + ringSize
    /// Directories that can be known: four million.
    package static let tableCapacity = 1 << 22
    package static let size = tableOffset + tableCapacity * HandoverEntry.size

    /// "GATHERK" and the version of the layout: another layout, or another meaning of it, has another number.
    private static let magic: UInt64 = 0x4B52_4548_5441_4700 + 4

    private var base: UnsafeMutableRawPointer
    private var tableCount = 0
    /// The keys of containers in their places; 0 is free.
    private var places: [UInt64] = []
    private var nextState = 0
    private var stateCount: UInt64 = 0

    /// New memory for a new inotify instance.
    package init() throws(SystemError) {
        memory = try SharedMemory(name: "gatherd", size: HandoverMemory.size)
        guard let base = memory.bytes.baseAddress else { throw .noMemory }
        self.base = base
        let doubled = try memory.mapTwice(offset: HandoverMemory.ringOffset, size: HandoverMemory.ringSize)
        ring = EventRing(
            words: base + HandoverMemory.ringPlace, base: doubled, capacity: HandoverMemory.ringSize, memory: memory)
        SharedWord.store(.random(in: 1...UInt64.max), to: base + HandoverMemory.tokenPlace)
        SharedWord.store(HandoverMemory.magic, to: base + HandoverMemory.magicPlace)
    }

    /// Adopts the memory of another process. Throws where it is of no use.
    package init(adopting descriptor: consuming Descriptor) throws(SystemError) {
        memory = try SharedMemory(descriptor: descriptor, size: HandoverMemory.size)
        guard let base = memory.bytes.baseAddress, SharedWord.load(base) == HandoverMemory.magic else { throw .invalid }
        self.base = base
        let doubled = try memory.mapTwice(offset: HandoverMemory.ringOffset, size: HandoverMemory.ringSize)
        guard
            let ring = EventRing(
                adopting: base + HandoverMemory.ringPlace, base: doubled, capacity: HandoverMemory.ringSize,
                memory: memory)
        else { throw .invalid }
        self.ring = ring
        let count = SharedWord.load(base + HandoverMemory.tableCountPlace)
        guard count <= HandoverMemory.tableCapacity else { throw .invalid }
        tableCount = Int(count)
    }

    /// The descriptor, to be kept; it is this object's.
    package var descriptor: CInt { memory.descriptor.number }

    /// The token in the names of the descriptors that belong together.
    package var token: UInt64 { SharedWord.load(base + HandoverMemory.tokenPlace) }

    /// The event mask of the watches: watches with another mask would report other events.
    package static var circumstances: String { "\(InotifyMask.directory.rawValue)" }

    // MARK: Beginning

    /// Returns the handover, if it was left by the daemon that wrote the last of the journal, under the same
    /// circumstances.
    package func start(run: UInt64?, sequence: UInt64, fingerprint: UInt64) throws(HandoverObstacle) -> HandoverStart {
        guard let run, run != 0, HandoverMemory.runPlaces.contains(where: { SharedWord.load(base + $0) == run }) else {
            throw .otherJournal
        }
        guard SharedWord.load(base + HandoverMemory.fingerprintPlace) == fingerprint else { throw .otherCircumstances }
        guard !ring.hasLost else { throw .lostEvents }
        let states = (0..<2).compactMap { place in
            let offset = HandoverMemory.statesOffset + place * HandoverMemory.stateSize
            return IterationState(
                UnsafeRawBufferPointer(start: base + offset, count: HandoverMemory.stateSize), sequence: sequence)
        }
        guard let state = states.max(by: { $0.count < $1.count }), state.received <= ring.head else {
            throw .otherMoment
        }
        guard state.isWhole else { throw .tooMuchPendingWork }
        guard let mounts = readMounts() else { throw .unknownMounts }
        var start = HandoverStart(state: state, mounts: mounts)
        for place in 0..<HandoverMemory.containerCapacity {
            let address = base + HandoverMemory.containersOffset + place * HandoverMemory.containerSize
            let key = SharedWord.load(address + 8)
            guard key != 0, let flags = HandoverContainer.Flags(word: SharedWord.load(address)) else { continue }
            start.containers[key] = HandoverContainer(flags: flags)
        }
        // So many directories may have been there once, and be no more.
        let entries = (0..<tableCount).count { SharedWord.load(entryAddress($0)) != 0 }
        start.entries = HandoverEntries(capacity: entries)
        var key: UInt64 = 0
        var count = 0
        for slot in 0..<tableCount {
            guard let entry = HandoverEntry(at: entryAddress(slot)) else { continue }
            // No process writes that: one of the two directories would get no events.
            guard start.entries.append(entry) else { throw .sharedWatch }
            // They come in runs.
            if entry.key != key {
                start.containers[key]?.count += count
                (key, count) = (entry.key, 0)
            }
            count += 1
        }
        start.containers[key]?.count += count
        return start
    }

    /// From now on this daemon writes, whose journal has the number `run`: to be called before the journal has that. Nothing is
    /// known until it is told.
    package func begin(run: UInt64, fingerprint: UInt64) {
        let former = SharedWord.load(base + HandoverMemory.runPlaces[1])
        SharedWord.store(former, to: base + HandoverMemory.runPlaces[0])
        SharedWord.store(run, to: base + HandoverMemory.runPlaces[1])
        SharedWord.store(fingerprint, to: base + HandoverMemory.fingerprintPlace)
    }

    /// The handover was taken over: the table is written anew, since directories get other places in it.
    package func clear() {
        // Whatever was going on counts no more, for any number of the journal.
        for place in 0..<2 {
            SharedWord.store(0, to: base + HandoverMemory.statesOffset + place * HandoverMemory.stateSize)
        }
        for place in 0..<HandoverMemory.containerCapacity {
            SharedWord.store(0, to: base + HandoverMemory.containersOffset + place * HandoverMemory.containerSize)
        }
        for slot in 0..<tableCount { SharedWord.store(0, to: entryAddress(slot)) }
        for place in 0..<HandoverMemory.containerCapacity {
            SharedWord.store(0, to: base + HandoverMemory.containersOffset + place * HandoverMemory.containerSize + 8)
        }
        places = []
    }

    // MARK: Directories

    private func entryAddress(_ slot: Int) -> UnsafeMutableRawPointer {
        base + HandoverMemory.tableOffset + slot * HandoverEntry.size
    }

    /// Writes the entry of a directory, by its slot; nil takes it back. False where there is no room.
    func set(_ slot: Int, to entry: HandoverEntry?) -> Bool {
        guard slot < HandoverMemory.tableCapacity else { return entry == nil }
        if slot >= tableCount {
            guard entry != nil else { return true }
            tableCount = slot + 1
            SharedWord.store(UInt64(tableCount), to: base + HandoverMemory.tableCountPlace)
        }
        let address = entryAddress(slot)
        SharedWord.store(0, to: address)
        entry?.write(to: address)
        return true
    }

    // MARK: Containers

    /// Writes whether the snapshot of a container, and its watches, are all that the next process needs to go on with
    /// it. False where there is no room to say so.
    @discardableResult
    func set(_ key: UInt64, to flags: HandoverContainer.Flags) -> Bool {
        guard key != 0 else { return false }
        let place = places.firstIndex(of: key) ?? places.firstIndex(of: 0) ?? places.count
        guard place < HandoverMemory.containerCapacity else { return false }
        let address = base + HandoverMemory.containersOffset + place * HandoverMemory.containerSize
        if place == places.count { places.append(0) }
        if places[place] != key {
            SharedWord.store(0, to: address)
            SharedWord.store(key, to: address + 8)
            places[place] = key
        }
        SharedWord.store(flags.word, to: address)
        return true
    }

    /// A container is no more.
    func remove(_ key: UInt64) {
        guard let place = places.firstIndex(of: key) else { return }
        SharedWord.store(0, to: base + HandoverMemory.containersOffset + place * HandoverMemory.containerSize)
        places[place] = 0
    }

    // MARK: Work under way

    /// Writes the state when the journal is written up to a number, or has been. The state written last stands until
    /// this is done, and with the journal before that number the one before.
    func set(_ state: IterationState, sequence: UInt64) {
        let address = base + HandoverMemory.statesOffset + nextState * HandoverMemory.stateSize
        nextState = 1 - nextState
        stateCount += 1
        state.write(
            to: UnsafeMutableRawBufferPointer(start: address, count: HandoverMemory.stateSize), sequence: sequence,
            count: stateCount)
    }

    // MARK: Mounts

    /// Writes the mounts and their places: no event reports them.
    func set(mounts: Set<Mount>) {
        let address = base + HandoverMemory.mountsPlace
        SharedWord.store(0, to: address)
        var bytes: [UInt8] = []
        for mount in mounts {
            bytes += mount.path
            bytes.append(0)
        }
        guard !bytes.isEmpty, bytes.count <= HandoverMemory.mountsSize else { return }
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: base + HandoverMemory.mountsOffset, count: HandoverMemory.mountsSize)
                .copyMemory(from: $0)
        }
        SharedWord.store(UInt64(bytes.count), to: address)
    }

    /// The places of the mounts; nil where they were too many.
    private func readMounts() -> Set<[UInt8]>? {
        let count = SharedWord.load(base + HandoverMemory.mountsPlace)
        guard count > 0, count <= HandoverMemory.mountsSize else { return nil }
        let bytes = UnsafeRawBufferPointer(start: base + HandoverMemory.mountsOffset, count: Int(count))
        return Set(bytes.split(separator: 0).map { Array($0) })
    }
}
