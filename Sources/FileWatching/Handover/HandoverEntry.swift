// A directory's watch, and a container's word, as the next process finds them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A directory with its watch. Device and inode say which it is: the watch keeps the inode, so that no other directory gets
/// its number as long as it lasts.
package struct HandoverEntry: Equatable {
    /// Bytes of one.
    package static let size = 32

    var watch: Int32
    var depth: UInt16
    /// Whether the snapshot has all of its entries, as far as events do not tell otherwise.
    var isComplete: Bool
    var device: UInt64
    var inode: UInt64
    /// The key of its container.
    var key: UInt64

    init(watch: Int32, depth: UInt16, isComplete: Bool, device: UInt64, inode: UInt64, key: UInt64) {
        (self.watch, self.depth, self.isComplete) = (watch, depth, isComplete)
        (self.device, self.inode, self.key) = (device, inode, key)
    }

    var directory: InodeNumber { InodeNumber(device: device, inode: inode) }

    /// Reads the entry at an address; nil where none is written.
    init?(at address: UnsafeRawPointer) {
        let word = SharedWord.load(address)
        watch = Int32(truncatingIfNeeded: word)
        depth = UInt16(truncatingIfNeeded: word >> 32)
        isComplete = word >> 48 == 1
        device = SharedWord.load(address + 8)
        inode = SharedWord.load(address + 16)
        key = SharedWord.load(address + 24)
        guard watch > 0, word >> 48 <= 1 else { return nil }
    }

    /// Writes it where nothing stands: its first word, which says that there is something, comes last.
    func write(to address: UnsafeMutableRawPointer) {
        SharedWord.store(device, to: address + 8)
        SharedWord.store(inode, to: address + 16)
        SharedWord.store(key, to: address + 24)
        let word = UInt64(UInt32(bitPattern: watch)) | UInt64(depth) << 32 | (isComplete ? 1 << 48 : 0)
        SharedWord.store(word, to: address)
    }
}

/// The handover of a container.
package struct HandoverContainer {
    package struct Flags: OptionSet, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// The snapshot and the watches are all that is needed.
        static let exact = Flags(rawValue: 1)
        /// Extended attributes are read, and all were.
        static let readsXattrs = Flags(rawValue: 2)
        /// A file system was mounted on its directory.
        static let isMountPoint = Flags(rawValue: 4)
        // Why it is not exact, for the log.
        static let wasUnavailable = Flags(rawValue: 8)
        static let wasBeingRead = Flags(rawValue: 16)
        static let wasBeingCompared = Flags(rawValue: 32)
        static let wasPolled = Flags(rawValue: 64)

        /// As a word that is not 0 for none.
        var word: UInt64 { UInt64(rawValue) | 1 << 32 }

        init?(word: UInt64) {
            guard word >> 32 == 1 else { return nil }
            rawValue = UInt32(truncatingIfNeeded: word)
        }
    }

    var flags: Flags
    /// The reason why it cannot go on; nil where it can.
    var obstacle: ContainerObstacle? {
        if flags.contains(.exact) { return nil }
        if flags.contains(.wasUnavailable) { return .unsettled("was unavailable") }
        if flags.contains(.wasPolled) { return .unsettled("was polled") }
        if flags.contains(.wasBeingCompared) { return .unsettled("was being compared") }
        return .unsettled("was being read")
    }
    /// How many directories it has.
    var count = 0
}

/// The directories of all containers, by their inode numbers.
struct HandoverEntries {
    private(set) var all: [HandoverEntry] = []
    private var places = NumberTable()
    private var watches = WatchNumbers()

    init(capacity: Int = 0) {
        all.reserveCapacity(capacity)
        places.reserve(capacity) { _ in 0 }
        watches.reserve(capacity)
    }

    @inline(__always)
    private static func key(_ directory: InodeNumber, _ container: UInt64) -> UInt64 {
        directory.inode &+ directory.device &* 0x9E37_79B9_7F4A_7C15 &+ container
    }

    /// Adds one; false where its watch is another's already.
    mutating func append(_ entry: HandoverEntry) -> Bool {
        guard watches.insert(entry.watch) else { return false }
        let place = Int32(truncatingIfNeeded: all.count)
        all.append(entry)
        let all = all
        places.set(
            place, HandoverEntries.key(entry.directory, entry.key),
            keyOf: { number in
                let other = all[Int(number)]
                return HandoverEntries.key(other.directory, other.key)
            }
        ) { number in
            all[Int(number)].directory == entry.directory && all[Int(number)].key == entry.key
        }
        return true
    }

    /// The entry of a directory of a container.
    func entry(of directory: InodeNumber, in container: UInt64) -> HandoverEntry? {
        place(of: directory, in: container).map { all[$0] }
    }

    /// Returns the same and removes it.
    mutating func take(_ directory: InodeNumber, in container: UInt64) -> HandoverEntry? {
        guard let place = place(of: directory, in: container) else { return nil }
        let entry = all[place]
        guard entry.watch > 0 else { return nil }
        all[place].watch = 0
        return entry
    }

    @inline(__always)
    private func place(of directory: InodeNumber, in container: UInt64) -> Int? {
        places.find(HandoverEntries.key(directory, container)) { number in
            let entry = all[Int(number)]
            return entry.inode == directory.inode && entry.device == directory.device && entry.key == container
        }.map { Int($0) }
    }

    /// Whether any directory had this watch.
    func contains(watch: Int32) -> Bool { watches.contains(watch) }
}

/// The handover as it was found: to be taken over container by container.
package struct HandoverStart {
    var state: IterationState
    /// Where something was mounted.
    var mounts: Set<[UInt8]>
    /// By key.
    var containers: [UInt64: HandoverContainer] = [:]
    /// The entries of all containers, of those that are not taken over too.
    var entries = HandoverEntries()

    init(state: IterationState, mounts: Set<[UInt8]>) {
        self.state = state
        self.mounts = mounts
    }

    /// Without some containers, which have changed.
    package func without(_ keys: [UInt64]) -> HandoverStart {
        var others = self
        for key in keys { others.containers[key] = nil }
        return others
    }
}
