// Items whose access control lists could not be read or kept: other users do not find them, and that is said.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import Metadata
import MetadataIndex
import NIOCore

extension Engine {
    /// Notes which containers have such items, before anybody is answered.
    func noteAccessLists() {
        guard tellsCallersApart else { return }
        var changed = false
        for record in containers {
            if record.index.lacksAccessLists, record.index.clock != record.clockOfAccessLists {
                lookForAccessListsSoon()
            }
            let lacks = record.index.lacksAccessLists || record.lacksAccessListAbove
            guard lacks != record.lacksAccessLists else { continue }
            record.lacksAccessLists = lacks
            changed = true
            tellOfAccessLists(record)
        }
        if changed { monitors.stateChanged() }
    }

    /// Notes whether the list of a directory above a container could not be read or kept.
    func noteAccessLists(above record: ContainerRecord) {
        let above = watcher.directoriesAbove(record.number) ?? []
        record.lacksAccessListAbove = above.contains { $0.accessList == .unknown }
    }

    /// Looks after a while whether containers that had such items still have some: that takes a look at all rows.
    private func lookForAccessListsSoon() {
        guard !looksForAccessLists else { return }
        looksForAccessLists = true
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: limits.accessListsLookedForAfter) {
            let engine = engine.value
            guard !engine.isClosed else { return }
            engine.looksForAccessLists = false
            for record in engine.containers where record.index.lacksAccessLists {
                record.index.lookForAccessLists()
                record.clockOfAccessLists = record.index.clock
            }
            engine.turn()
        }
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
            "access control lists of items of '\(record.identifier)' could not be read or kept\(whose); users who need them do not find these items, and their answers are inexact (have files share lists, or go without: setfacl -b; then restart gatherd, and 'gather container rescan \(record.identifier)')",
            metadata: metadata)
    }

    /// How many owners are named in the log.
    private static let ownersNamed = 5
}
