// Access control lists: those that nobody has any more are let go, and what could not be read or kept is said.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import Metadata
import MetadataIndex
import NIOCore

extension Engine {
    /// Notes which containers have such items, before anybody is answered, and whether it is time for a sweep.
    func noteAccessLists() {
        guard tellsCallersApart else { return }
        var changed = false
        for record in containers {
            let lacks = record.index.lacksAccessLists || !record.ownersLackingAccessListAbove.isEmpty
            guard lacks != record.lacksAccessLists else { continue }
            record.lacksAccessLists = lacks
            changed = true
            tellOfAccessLists(record)
        }
        if changed { monitors.stateChanged() }
        if AccessLists.isDue { sweepAccessLists(at: .now() + limits.accessListsSweptAfter) }
        // A sweep that is under way is itself what some still have leases from before.
        if accessListSweep.looksFrom == nil, !accessListSweep.isUnderWay, wantsAccessLists {
            accessListSweep.looksFrom = .now() + limits.accessListsLookedForAfter
        }
        if let time = accessListSweep.looksFrom { sweepAccessLists(at: time) }
    }

    /// Whether there are items that lack lists, and news that may help: what changed anywhere may leave lists to nobody, and
    /// so may whoever has them from before, on another thread, which wakes nobody.
    private var wantsAccessLists: Bool {
        guard containers.contains(where: \.lacksAccessLists) else { return false }
        return accessListSweep.sequence != commits.sequence || AccessLists.hasFormerLeases
            || containers.contains(where: isLookDue)
    }

    private func isLookDue(_ record: ContainerRecord) -> Bool {
        record.lacksAccessLists
            && record.accessListRound.isDue(clock: record.index.clock, roomMade: AccessLists.roomMade)
    }

    /// Names the lists of the directories above a container, and notes whether one could not be read or kept.
    func noteAccessLists(above record: ContainerRecord) {
        record.ownersLackingAccessListAbove = []
        for access in watcher.directoriesAbove(record.number) ?? [] where access.accessList != .none {
            let (list, lease) = AccessLists.keep(access.accessList)
            if list == .unknown {
                record.ownersLackingAccessListAbove.insert(access.owner)
            } else if accessListSweep.lease == nil {
                accessListSweep.lease = lease
            }
        }
    }

    // MARK: Sweeps

    private func sweepAccessLists(at time: NIODeadline) {
        guard !accessListSweep.isUnderWay, accessListSweep.next.map({ time < $0.time }) ?? true else { return }
        scheduleSweep(at: time)
    }

    private func scheduleSweep(at time: NIODeadline) {
        accessListSweep.next?.task.cancel()
        let engine = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(deadline: time) {
            let engine = engine.value
            guard !engine.turns.isClosed else { return }
            engine.accessListSweep.next = nil
            if !engine.accessListSweep.isUnderWay { engine.beginAccessListSweep() }
            engine.goOnSweepingAccessLists()
        }
        accessListSweep.next = (time, task)
    }

    /// Lets go of the access control lists that no item has any more.
    private func beginAccessListSweep() {
        accessListSweep.isUnderWay = true
        accessListSweep.sequence = commits.sequence
        AccessLists.beginSweep()
        // The lists above are named before the lease ends that has kept them.
        let former = accessListSweep.lease
        accessListSweep.lease = nil
        for record in containers { noteAccessLists(above: record) }
        withExtendedLifetime(former) {}
        accessListSweep.allowance = AccessListAllowance()
        accessListSweep.unswept = Array(containers)
        guard let time = accessListSweep.looksFrom, time <= .now() else { return }
        accessListSweep.looksFrom = nil
        accessListSweep.unlooked = Array(containers)
    }

    /// One container at a time: each takes a look at all its rows, and between two the loop has looked at its descriptors.
    private func goOnSweepingAccessLists() {
        var isDone = false
        while !isDone, let record = accessListSweep.unswept.popLast() { isDone = sweepAccessLists(of: record) }
        while !isDone, let record = accessListSweep.unlooked.popLast() { isDone = readAccessListsAgain(of: record) }
        if isDone { return scheduleSweep(at: .now() + TurnScheduler.longPause) }
        accessListSweep.isUnderWay = false
        turn()
    }

    /// False where that was nothing.
    private func sweepAccessLists(of record: ContainerRecord) -> Bool {
        guard containers.contains(record), record.index.keepsAccessLists else { return false }
        // What was not taken would keep all that there was before.
        if record.index.hasChanges { turn() }
        if containers.contains(record) { record.index.sweepAccessLists(&accessListSweep.allowance) }
        return true
    }

    /// Looks whether there still are items whose lists could not be kept, and again at those for which there may be room now.
    /// False where that was nothing.
    private func readAccessListsAgain(of record: ContainerRecord) -> Bool {
        guard containers.contains(record), isLookDue(record) else { return false }
        let first = record.accessListRound.goOn(clock: record.index.clock, roomMade: AccessLists.roomMade)
        record.accessListRound.next = nil
        if record.ownersLackingAccessListAbove.contains(where: AccessLists.hasRoom) {
            watcher.lookAgain(at: [tree.root(of: record.number)])
        }
        let owners = record.index.lookForAccessLists().filter(AccessLists.hasRoom)
        guard !owners.isEmpty else { return true }
        let (rows, next) = record.index.rowsLackingAccessLists(
            from: first, atMost: limits.accessListsReadAgain, of: owners)
        watcher.lookAgain(at: rows.map { TreeNode(container: record.number, row: $0.number) })
        // The next of them when there was time for others.
        record.accessListRound.next = next
        return true
    }

    private func tellOfAccessLists(_ record: ContainerRecord) {
        let metadata: Logger.Metadata = [
            "container": "\(record.identifier)", "message-id": "access-lists-missing",
        ]
        guard record.lacksAccessLists else {
            return logger.notice(
                "every item of container '\(record.identifier)' has its access control list again", metadata: metadata)
        }
        let owners = record.index.ownersLackingAccessLists.union(record.ownersLackingAccessListAbove).sorted()
        let named = owners.prefix(Engine.ownersNamed).map(String.init).joined(separator: ", ")
        let whose =
            owners.isEmpty
            ? ""
            : ": \(owners.count == 1 ? "user" : "users") \(named)\(owners.count > Engine.ownersNamed ? " and others" : "") "
                + "may own more different lists than gatherd keeps for one owner (\(AccessLists.countOfOwner), "
                + "or \(AccessLists.bytesOfOwner >> 20) MiB)"
        logger.warning(
            "access control lists of container '\(record.identifier)' could not be read or kept\(whose); users who need them do not find these items; let files share lists or remove them (setfacl -b)",
            metadata: metadata)
    }

    /// How many owners are named in the log.
    private static let ownersNamed = 5
}
