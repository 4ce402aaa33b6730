// The versions of files at the time of their change.
// SPDX-License-Identifier: Apache-2.0

/// Queues files that changed and that Syncthing may not have seen yet, and keeps the versions that they had then. One
/// task at a time reads them. If there are too many, all are forgotten: then their versions are read later, if they are
/// still there.
struct ChangedFiles {
    private var waiting: Set<String> = []
    private var isReading = false
    private var versions: [String: SavedVersion] = [:]

    /// Notes a file that changed. Its former version is forgotten. Returns whether a task has to begin to read.
    mutating func add(_ part: String) -> Bool {
        if waiting.count >= SyncLimits.waitingFiles { waiting.removeAll() }
        if versions.count >= SyncLimits.waitingFiles { versions.removeAll() }
        versions[part] = nil
        waiting.insert(part)
        defer { isReading = true }
        return !isReading
    }

    /// Returns a file to be read; nil if there is none, which ends the task.
    mutating func next() -> String? {
        isReading = !waiting.isEmpty
        return waiting.popFirst()
    }

    /// Takes the version of a file that was read, unless it has changed again meanwhile.
    mutating func take(_ version: SavedVersion?, of part: String) {
        if !waiting.contains(part) { versions[part] = version }
    }

    /// Returns the version that a file had when it changed, and forgets it.
    mutating func takeVersion(of part: String) -> SavedVersion? { versions.removeValue(forKey: part) }
}
