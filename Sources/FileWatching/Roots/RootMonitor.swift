// Which containers' roots are to be looked at, and the watches on the directories above them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Watches the containers' own directories: whether they are there, where they are, and which users may reach them.
///
/// A watch on a directory above containers may be the watch of a directory in one of them, too, since a directory has only one.
struct RootMonitor {
    /// Containers whose root must be looked at, and the event that has caused that first.
    private(set) var suspects: [UInt32: UInt64] = [:]
    /// Containers by the watches on the directories above them.
    private var ancestors: [Int32: AncestorWatch] = [:]
    /// Containers above which the access has changed.
    private var accessChanges: Set<UInt32> = []

    // MARK: Roots to be looked at

    /// A container's root must be looked at. Without an event the position is `now`.
    mutating func suspect(_ container: UInt32, position: UInt64, now: UInt64) {
        suspects[container] = min(suspects[container] ?? now, position)
    }

    /// Takes the containers whose roots must be looked at, with the positions.
    mutating func takeSuspects() -> [UInt32: UInt64] {
        defer { suspects = [:] }
        return suspects
    }

    /// A container is no more.
    mutating func forget(_ container: UInt32) { suspects[container] = nil }

    // MARK: Watches above containers

    /// The containers below a watched directory, and the kernel's mask for it; nil for one that is above none.
    func ancestor(_ watch: Int32) -> AncestorWatch? { ancestors.isEmpty ? nil : ancestors[watch] }

    /// A directory above containers is watched with a mask.
    mutating func setMask(_ mask: InotifyMask, of watch: Int32) {
        ancestors[watch, default: AncestorWatch()].mask = mask
    }

    /// A watched directory lies above a container.
    mutating func add(_ container: UInt32, below watch: Int32) {
        ancestors[watch, default: AncestorWatch()].containers.insert(container)
    }

    /// A watched directory does not lie above a container any more. Returns the other containers below it; none means that the watch
    /// is not needed here.
    mutating func remove(_ container: UInt32, below watch: Int32) -> Set<UInt32> {
        ancestors[watch]?.containers.remove(container)
        let others = ancestors[watch]?.containers ?? []
        if others.isEmpty { ancestors[watch] = nil }
        return others
    }

    /// A watch has ended.
    mutating func ended(_ watch: Int32) { ancestors[watch] = nil }

    // MARK: Access

    /// The access to the directories above a container has changed.
    mutating func accessChanged(above container: UInt32) { accessChanges.insert(container) }

    /// Takes the containers above which the access has changed.
    mutating func takeAccessChanges() -> Set<UInt32> {
        defer { if !accessChanges.isEmpty { accessChanges = [] } }
        return accessChanges
    }
}
