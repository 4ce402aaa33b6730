// What the checkpointer needs of the engine.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Logging
import Metadata

extension Engine: Checkpointer.Owner {
    var sequence: UInt64 { commits.sequence }

    func isMountPoint(_ record: ContainerRecord) -> Bool { watcher.isMountPoint(record.number) }

    func passage(of record: ContainerRecord) -> [UInt8] { access.passage(of: record) }

    func savingIsDue() { turn() }

    func savingEnded() {
        memory.tidySoon()
        turn()
    }

    func savingFailed(_ error: SystemError) {
        logger.error(
            "the state cannot be saved: \(error); until a later attempt succeeds, a restart compares all containers; 'gather doctor' looks at the directory and its free space",
            metadata: ["message-id": "state-unsaved", "error": "\(error)"])
    }

    func savingWorksAgain() { logger.notice("the state is saved again, so a restart continues from it") }

    /// When the oldest of the saved indexes was saved; nil where one of them never was.
    var snapshotTime: Timestamp? {
        let times = containers.map(\.saving.time)
        guard !times.isEmpty, !times.contains(where: { $0 == nil }) else { return nil }
        return times.compactMap { $0 }.min { $0.nanoseconds < $1.nanoseconds }
    }
}
