// Renames that have moved their rows, and that later events may still give another meaning.
// SPDX-License-Identifier: Apache-2.0

/// Renames that have moved their rows: an exchange whose second pair of events is still to come, and files that may turn out to be
/// the backups of a program that saves.
struct AppliedRenames {
    var exchange = PendingExchange()
    /// Files that were renamed of late, and may be the backups of programs that save.
    private(set) var backups: [TreeNode: Backup] = [:]

    /// Events were lost, and with them the meaning of earlier renames.
    mutating func reset() {
        exchange.reset()
        backups = [:]
    }

    /// Notes a renamed file. With `limit` of them, those are forgotten that are too old at a time; if none is, all are.
    mutating func note(_ backup: Backup, of node: TreeNode, limit: Int, now: UInt64) {
        if backups.count >= limit {
            backups = backups.filter { now &- $1.time < WatchLimits.backupWindow }
            if backups.count >= limit { backups = [:] }
        }
        backups[node] = backup
    }

    /// Notes that a barrier was made. Events behind it find the renames before it final.
    mutating func noteBarrier(at position: UInt64) {
        for node in backups.keys where backups[node]?.barrier == nil { backups[node]?.barrier = position }
    }

    /// Takes the backup that a row may be; nil if it is none.
    mutating func takeBackup(of node: TreeNode) -> Backup? { backups.isEmpty ? nil : backups.removeValue(forKey: node) }
}
