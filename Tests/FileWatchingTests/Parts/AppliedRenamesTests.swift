// Files that were renamed of late: which are forgotten, and which barriers make their renames final.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct AppliedRenamesTests {
    private var renames = AppliedRenames()

    private func backup(time: UInt64, barrier: UInt64? = nil) -> Backup {
        Backup(
            directory: DirectoryID(slot: 1, generation: 1), name: Array("f".utf8),
            file: PlayedKernel.status(3, .file, 1),
            time: time, position: 1, barrier: barrier)
    }

    private func node(_ row: UInt32) -> TreeNode { TreeNode(container: 1, row: row) }

    private mutating func note(_ row: UInt32, time: UInt64, now: UInt64? = nil) {
        renames.note(backup(time: time), of: node(row), limit: 2, now: now ?? time)
    }

    @Test mutating func aBackupIsTakenOnce() {
        note(1, time: 5)
        let taken = [renames.takeBackup(of: node(2)), renames.takeBackup(of: node(1)), renames.takeBackup(of: node(1))]
        #expect(taken.map { $0?.time } == [nil, 5, nil])
    }

    @Test mutating func oldBackupsMakeRoomForNewOnes() {
        note(1, time: 5)
        note(2, time: WatchLimits.backupWindow)
        note(3, time: WatchLimits.backupWindow + 5)
        #expect(Set(renames.backups.keys) == [node(2), node(3)], "the first is too old")
        note(4, time: WatchLimits.backupWindow + 6)
        #expect(Set(renames.backups.keys) == [node(4)], "none was too old")
    }

    @Test mutating func theFirstBarrierMakesARenameFinal() {
        note(1, time: 5)
        renames.noteBarrier(at: 10)
        note(2, time: 6)
        renames.noteBarrier(at: 20)
        #expect(renames.backups[node(1)]?.barrier == 10 && renames.backups[node(2)]?.barrier == 20)
    }

    @Test mutating func lostEventsEndAll() {
        note(1, time: 5)
        renames.exchange.expect(7)
        renames.reset()
        #expect(renames.backups.isEmpty && !renames.exchange.isSecond(7))
    }
}
