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
        for record in records { log.noteAccessLists(of: record) }
        monitors.stateChanged()
    }
}
