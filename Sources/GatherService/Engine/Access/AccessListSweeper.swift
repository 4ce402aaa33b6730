// Access control lists that no item has any more are let go, and missing ones are read again.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import NIOCore

/// Sweeps the kept access control lists: each index says which it has, and those of none are let go. Then it may look again at
/// items that lack lists. Event loop only.
final class AccessListSweeper {
    /// The containers with the lists, and the engine around them.
    protocol Owner: AnyObject {
        var containers: ContainerSet { get }
        /// The daemon's clock.
        var sequence: UInt64 { get }
        /// Returns the access of the directories above a container's; nil if it is not known.
        func directoriesAbove(_ record: ContainerRecord) -> [FileAccess]?
        /// Has items of a container looked at again.
        func lookAgain(at rows: [Row], of record: ContainerRecord)
        /// Containers have items without a list now, or no such item any more.
        func lackOfAccessListsChanged(of records: [ContainerRecord])
        /// Runs a loop iteration.
        func runIteration()
    }

    private let limits: ServiceLimits
    private let loop: any EventLoop
    /// When the next sweep begins, or the one that is under way goes on.
    private var next: (time: NIODeadline, task: Scheduled<Void>)?
    /// From when on items that lack lists are looked at, at the end of a sweep; nil if that is not needed.
    private var looksFrom: NIODeadline?
    private var isUnderWay = false
    private var isClosed = false
    /// The containers whose turn is to come in the sweep that is under way, and in the look after it.
    private var unswept: [ContainerRecord] = []
    private var unlooked: [ContainerRecord] = []
    /// How much of the past is kept.
    private var allowance = AccessListAllowance()
    /// Keeps the lists of the directories above containers; nil if they have none.
    private var lease: AccessListLease?
    /// The daemon's clock when the last sweep began.
    private var sequence: UInt64?

    init(limits: ServiceLimits, loop: any EventLoop) { (self.limits, self.loop) = (limits, loop) }

    /// Notes which containers have items without a list, before any caller is answered, and whether it is time for a sweep.
    func note(_ owner: any Owner) {
        var changed: [ContainerRecord] = []
        for record in owner.containers {
            if record.accessLists.update(isIndexLacking: record.index.lacksAccessLists) { changed.append(record) }
        }
        if !changed.isEmpty { owner.lackOfAccessListsChanged(of: changed) }
        if AccessLists.isDue { sweep(owner, at: .now() + limits.accessListsSweptAfter) }
        // If a sweep is under way, the leases from before are its own.
        if looksFrom == nil, !isUnderWay, isWanted(owner) { looksFrom = .now() + limits.accessListsLookedForAfter }
        if let looksFrom { sweep(owner, at: looksFrom) }
    }

    /// Names the lists of the directories above a container, and notes whether one could not be read or kept.
    func noteLists(above record: ContainerRecord, _ owner: any Owner) {
        var lacking: Set<UInt32> = []
        for access in owner.directoriesAbove(record) ?? [] where access.accessList != .none {
            let (list, lease) = AccessLists.keep(access.accessList)
            if list == .unknown {
                lacking.insert(access.owner)
            } else if self.lease == nil {
                self.lease = lease
            }
        }
        record.accessLists.note(ownersAbove: lacking)
    }

    func close() {
        isClosed = true
        next?.task.cancel()
        next = nil
    }

    /// Whether there are items that lack lists, and news that may help: a change anywhere may leave lists to no item, and so may
    /// the end of a lease from before, on another thread, which wakes nothing.
    private func isWanted(_ owner: any Owner) -> Bool {
        guard owner.containers.contains(where: \.accessLists.areMissing) else { return false }
        return sequence != owner.sequence || AccessLists.hasFormerLeases
            || owner.containers.contains(where: isLookDue)
    }

    private func isLookDue(_ record: ContainerRecord) -> Bool {
        record.accessLists.isLookDue(clock: record.index.clock, roomMade: AccessLists.roomMade)
    }

    private func sweep(_ owner: any Owner, at time: NIODeadline) {
        guard !isUnderWay, next.map({ time < $0.time }) ?? true else { return }
        schedule(owner, at: time)
    }

    private func schedule(_ owner: any Owner, at time: NIODeadline) {
        next?.task.cancel()
        let bound = NIOLoopBound((self, owner), eventLoop: loop)
        let task = loop.scheduleTask(deadline: time) {
            let (sweeper, owner) = bound.value
            // A task that is due in the same pass of the loop as the end is no longer cancelled.
            guard !sweeper.isClosed else { return }
            sweeper.next = nil
            if !sweeper.isUnderWay { sweeper.begin(owner) }
            sweeper.goOn(owner)
        }
        next = (time, task)
    }

    /// Lets go of the access control lists that no item has any more.
    private func begin(_ owner: any Owner) {
        isUnderWay = true
        sequence = owner.sequence
        AccessLists.beginSweep()
        // The lists above are named before the lease ends that has kept them.
        let former = lease
        lease = nil
        for record in owner.containers { noteLists(above: record, owner) }
        withExtendedLifetime(former) {}
        allowance = AccessListAllowance()
        unswept = Array(owner.containers)
        guard let looksFrom, looksFrom <= .now() else { return }
        self.looksFrom = nil
        unlooked = unswept
    }

    /// One container at a time: each takes a look at all its rows, and between two the loop has looked at its descriptors.
    private func goOn(_ owner: any Owner) {
        var isDone = false
        while !isDone, let record = unswept.popLast() { isDone = sweep(record, owner) }
        while !isDone, let record = unlooked.popLast() { isDone = readAgain(record, owner) }
        if isDone { return schedule(owner, at: .now() + IterationScheduler.longPause) }
        isUnderWay = false
        owner.runIteration()
    }

    /// Sweeps the lists of a container. Returns false if there are none.
    private func sweep(_ record: ContainerRecord, _ owner: any Owner) -> Bool {
        guard owner.containers.contains(record), record.index.keepsAccessLists else { return false }
        // Changes that were not taken would keep all that there was before.
        if record.index.hasChanges { owner.runIteration() }
        if owner.containers.contains(record) { record.index.sweepAccessLists(&allowance) }
        return true
    }

    /// Looks whether there still are items whose lists could not be kept, and again at those for which there may be room now.
    /// Returns false if there is nothing to look at.
    private func readAgain(_ record: ContainerRecord, _ owner: any Owner) -> Bool {
        guard owner.containers.contains(record), isLookDue(record) else { return false }
        let first = record.accessLists.look(clock: record.index.clock, roomMade: AccessLists.roomMade)
        if record.accessLists.ownersAbove.contains(where: AccessLists.hasRoom) {
            owner.lookAgain(at: [.root], of: record)
        }
        let owners = record.index.lookForAccessLists().filter(AccessLists.hasRoom)
        guard !owners.isEmpty else { return true }
        let (rows, next) = record.index.rowsLackingAccessLists(
            from: first, atMost: limits.accessListsReadAgain, of: owners)
        owner.lookAgain(at: rows, of: record)
        // The next of them when there was time for others.
        record.accessLists.goOn(from: next)
        return true
    }
}
