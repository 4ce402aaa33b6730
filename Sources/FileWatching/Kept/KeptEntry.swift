// A directory's watch, and a container's word, as the next process finds them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A directory with its watch. Device and inode say which it is: the watch keeps the inode, so that no other directory gets
/// its number as long as it lasts.
package struct KeptEntry: Equatable {
    /// Bytes of one.
    package static let size = 32

    var watch: Int32
    var depth: UInt16
    /// Whether all that lies in it is known to what was saved, as far as events do not tell otherwise.
    var isComplete: Bool
    var device: UInt64
    var inode: UInt64
    /// Of its container.
    var key: UInt64

    init(watch: Int32, depth: UInt16, isComplete: Bool, device: UInt64, inode: UInt64, key: UInt64) {
        (self.watch, self.depth, self.isComplete) = (watch, depth, isComplete)
        (self.device, self.inode, self.key) = (device, inode, key)
    }

    /// What stands there; nil for nothing.
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

/// What was left of a container.
package struct KeptContainer {
    package struct Flags: OptionSet, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// What was saved and the watches are all that is needed.
        static let exact = Flags(rawValue: 1)
        /// Extra attributes are read, and all were.
        static let readsExtras = Flags(rawValue: 2)
        /// A file system was mounted on its directory.
        static let isMountPoint = Flags(rawValue: 4)

        /// As a word that is not 0 for none.
        var word: UInt64 { UInt64(rawValue) | 1 << 32 }

        init?(word: UInt64) {
            guard word >> 32 == 1 else { return nil }
            rawValue = UInt32(truncatingIfNeeded: word)
        }
    }

    var flags: Flags
    var entries: [InodeNumber: KeptEntry] = [:]
}

/// What was left, as it was found: to be taken over container by container.
package struct KeptStart {
    var state: TurnState
    /// Where something was mounted.
    var mounts: Set<[UInt8]>
    /// By key.
    var containers: [UInt64: KeptContainer] = [:]
    /// All watches that directories had.
    var watches: Set<Int32> = []

    init(state: TurnState, mounts: Set<[UInt8]>) {
        self.state = state
        self.mounts = mounts
    }

    /// Without some containers, which are not what they were.
    package func without(_ keys: [UInt64]) -> KeptStart {
        var others = self
        for key in keys { others.containers[key] = nil }
        return others
    }
}
