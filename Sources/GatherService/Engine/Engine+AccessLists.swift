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
            let lacks = record.index.lacksAccessLists || record.lacksAccessListAbove
            guard lacks != record.lacksAccessLists else { continue }
            record.lacksAccessLists = lacks
            changed = true
            tellOfAccessLists(record)
        }
        if changed { monitors.stateChanged() }
        if AccessLists.isDue {
            sweepAccessLists(in: limits.accessListsSweptAfter)
        } else if containers.contains(where: \.lacksAccessLists),
            accessListSweep.sequence != sequence || accessListSweep.roomMade != AccessLists.roomMade
        {
            sweepAccessLists(in: limits.accessListsLookedForAfter)
        }
    }

    /// Notes whether the list of a directory above a container could not be read or kept.
    func noteAccessLists(above record: ContainerRecord) {
        let lists = (watcher.directoriesAbove(record.number) ?? []).map(\.accessList)
        for list in lists where list.number > AccessListID.unknown.number {
            accessListSweep.lease = accessListSweep.lease ?? AccessLists.lease()
            AccessLists.keep(CollectionOfOne(list))
        }
        record.lacksAccessListAbove = lists.contains(.unknown)
    }

    // MARK: Sweeps

    private func sweepAccessLists(in time: TimeAmount) {
        let time = NIODeadline.now() + time
        guard accessListSweep.rest == nil, accessListSweep.next.map({ time < $0.time }) ?? true else { return }
        accessListSweep.next?.task.cancel()
        let engine = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(deadline: time) { engine.value.sweepAccessLists() }
        accessListSweep.next = (time, task)
    }

    /// Lets go of the access control lists that no item has any more, a container at a time.
    private func sweepAccessLists() {
        accessListSweep.next = nil
        guard !isClosed else { return }
        AccessLists.beginSweep()
        let above = containers.flatMap { watcher.directoriesAbove($0.number) ?? [] }.map(\.accessList)
            .filter { $0.number > AccessListID.unknown.number }
        let lease = AccessLists.lease()
        AccessLists.keep(above)
        accessListSweep.lease = above.isEmpty ? nil : lease
        accessListSweep.allowance = AccessListAllowance()
        accessListSweep.rest = containers
        sweepNextContainer()
    }

    private func sweepNextContainer() {
        guard !isClosed else { return }
        guard let record = accessListSweep.rest?.popLast() else {
            accessListSweep.rest = nil
            return readAccessListsAgain()
        }
        // What was not taken would keep all that there was before.
        turn()
        if isWatched(record) { record.index.sweepAccessLists(&accessListSweep.allowance) }
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.execute { engine.value.sweepNextContainer() }
    }

    /// Looks whether there still are items whose lists could not be kept, and again at those for which there is room now.
    private func readAccessListsAgain() {
        (accessListSweep.sequence, accessListSweep.roomMade) = (sequence, AccessLists.roomMade)
        for record in containers where record.lacksAccessLists {
            let root = tree.root(of: record.number)
            if record.lacksAccessListAbove { watcher.lookAgain(at: [root]) }
            record.index.lookForAccessLists()
            guard record.index.lacksAccessLists else { continue }
            let (rows, next) = record.index.rowsLackingAccessLists(
                from: record.nextLackingAccessList, atMost: limits.accessListsReadAgain,
                ofOwners: AccessLists.hasRoom)
            record.nextLackingAccessList = next ?? .root
            watcher.lookAgain(at: rows.map { TreeNode(container: record.number, row: $0.number) })
            // The next of them when there was time for others.
            if next != nil { accessListSweep.sequence = nil }
        }
        turn()
    }

    private func tellOfAccessLists(_ record: ContainerRecord) {
        let metadata: Logger.Metadata = [
            "container": "\(record.identifier)", "message-id": "access-lists-missing",
        ]
        guard record.lacksAccessLists else {
            return logger.notice(
                "every item of '\(record.identifier)' has its access control list again", metadata: metadata)
        }
        let owners = AccessLists.ownersPastShare
        let named = owners.prefix(Engine.ownersNamed).map(String.init).joined(separator: ", ")
        let whose =
            owners.isEmpty
            ? ""
            : ": \(owners.count == 1 ? "user" : "users") \(named)\(owners.count > Engine.ownersNamed ? " and others" : "") "
                + "came with more different lists than are kept for one owner (\(AccessLists.countOfOwner), "
                + "or \(AccessLists.bytesOfOwner >> 20) MB)"
        logger.warning(
            "access control lists of items of '\(record.identifier)' could not be read or kept\(whose); users who need them do not find these items, and their answers are inexact (have files share lists, or go without: setfacl -b; gatherd sees that, and says when every item has its list)",
            metadata: metadata)
    }

    /// How many owners are named in the log.
    private static let ownersNamed = 5
}
