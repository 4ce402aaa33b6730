// What the sweeper of access control lists needs of the engine.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import Metadata
import MetadataIndex

extension Engine: AccessListSweeper.Owner {
    func directoriesAbove(_ record: ContainerRecord) -> [FileAccess]? { watcher.directoriesAbove(record.number) }

    func lookAgain(at rows: [Row], of record: ContainerRecord) {
        watcher.lookAgain(at: rows.map { TreeNode(container: record.number, row: $0.number) })
    }

    func lackOfAccessListsChanged(of records: [ContainerRecord]) {
        for record in records { tellOfAccessLists(record) }
        monitors.stateChanged()
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
