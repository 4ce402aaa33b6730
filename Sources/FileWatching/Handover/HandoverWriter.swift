// The words for the next process, about directories, containers, mounts and work under way.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Writes the facts that the next process needs to go on with the watches, and remembers them, so that it writes
/// differences only.
///
/// Words that are true no more are taken back before the journal is written, and new ones are told after it; see
/// ``HandoverMemory``. Before the first ``write(_:sequence:)`` the next process has nothing to go on with.
struct HandoverWriter {
    let memory: HandoverMemory

    /// By slot of the table of directories.
    private var entries: [HandoverEntry?] = []
    /// By the container's number.
    private var containers: [UInt32: HandoverContainer.Flags] = [:]
    private var mounts: Set<Mount>?
    /// The slots whose records may have changed.
    private var changed: [Int32] = []
    /// The number of the journal up to which the work under way was told.
    private var sequence: UInt64?
    private var hasState = false
    private var isWithdrawn = false

    init(memory: HandoverMemory) { self.memory = memory }

    /// Whether the work under way was told, which all else belongs to.
    var hasBegun: Bool { sequence != nil }

    /// Changes are not saved for now: takes everything back, since the next process would miss it in the journal. It is told from the
    /// beginning when ``note(_:of:)`` has been called again.
    mutating func withdraw(directories count: Int) {
        guard !isWithdrawn else { return }
        memory.clear()
        self = HandoverWriter(memory: memory)
        isWithdrawn = true
        changed = (0..<count).map { Int32($0) }
    }

    // MARK: Directories

    /// Notes that the records of directories may have changed, given by slot, of `count` slots in all.
    mutating func note(_ slots: [Int32], of count: Int) {
        isWithdrawn = false
        changed += slots
        if entries.count < count { entries += Array(repeating: nil, count: count - entries.count) }
    }

    /// Takes back statements about the directories noted that are true no more. `entry` returns the present entry of a
    /// slot.
    mutating func takeBack(_ entry: (Int32) -> HandoverEntry?) {
        for slot in changed where entries[Int(slot)] != nil && entry(slot) != entries[Int(slot)] {
            _ = memory.set(Int(slot), to: nil)
            entries[Int(slot)] = nil
        }
    }

    /// Writes the present entries of the directories noted. One for which there is no room is read by the next process.
    mutating func write(_ entry: (Int32) -> HandoverEntry?) {
        for slot in changed {
            let entry = entry(slot)
            guard entry != entries[Int(slot)] else { continue }
            entries[Int(slot)] = memory.set(Int(slot), to: entry) ? entry : nil
        }
        changed.removeAll(keepingCapacity: true)
    }

    // MARK: Containers and mounts

    /// Returns whether the handover says that the next process can go on with a container.
    func allowsResuming(with container: UInt32) -> Bool { containers[container]?.contains(.exact) == true }

    /// Writes the flags of a container, which `key` stands for; nothing where that is 0.
    mutating func write(_ flags: HandoverContainer.Flags, of container: UInt32, key: UInt64) {
        guard key != 0, containers[container] != flags else { return }
        containers[container] = flags
        memory.set(key, to: flags)
    }

    /// A container is no more.
    mutating func remove(_ container: UInt32, key: UInt64) {
        if containers.removeValue(forKey: container) != nil { memory.remove(key) }
    }

    /// Writes the mounts and their places.
    mutating func write(_ mounts: Set<Mount>) {
        guard mounts != self.mounts else { return }
        self.mounts = mounts
        memory.set(mounts: mounts)
    }

    // MARK: Work under way

    /// Writes the work under way when the journal is written up to a number; nothing if that was written.
    mutating func write(_ state: @autoclosure () -> IterationState, sequence: UInt64) {
        guard sequence != self.sequence else { return }
        self.sequence = sequence
        set(state(), sequence)
    }

    /// Writes the work under way once more for the same number, where there is some or was some.
    mutating func rewrite(_ state: @autoclosure () -> IterationState, hasWork: Bool) {
        guard let sequence, hasState || hasWork else { return }
        set(state(), sequence)
    }

    private mutating func set(_ state: IterationState, _ sequence: UInt64) {
        hasState = !state.isEmpty
        memory.set(state, sequence: sequence)
    }
}
