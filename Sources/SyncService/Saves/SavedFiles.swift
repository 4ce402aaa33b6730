// The files that this device may have saved.
// SPDX-License-Identifier: Apache-2.0

/// Queues files that this device may have saved, the newest first. One task at a time reads them. If there are too
/// many, the oldest are forgotten.
struct SavedFiles {
    /// The files that wait, with the times of their saves in nanoseconds since 1970.
    private var waiting: [String: Int64] = [:]
    /// Those of which Syncthing told so.
    private var detected: Set<String> = []
    private var isReading = false

    /// Notes a file. `isDetected` says whether Syncthing told of the save. Returns whether a task has to begin to read.
    mutating func add(_ part: String, modified: Int64, isDetected: Bool) -> Bool {
        waiting[part] = modified
        if isDetected { detected.insert(part) }
        if waiting.count > 2 * SyncLimits.waitingFiles {
            let newest = waiting.sorted { $0.value > $1.value }.prefix(SyncLimits.waitingFiles)
            waiting = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
            detected.formIntersection(newest.map(\.key))
        }
        defer { isReading = true }
        return !isReading
    }

    /// Returns the newest file, and whether Syncthing told of it; nil if there is none, which ends the task.
    mutating func next() -> (part: String, isDetected: Bool)? {
        guard let part = waiting.max(by: { $0.value < $1.value })?.key else {
            isReading = false
            return nil
        }
        waiting[part] = nil
        return (part, detected.remove(part) != nil)
    }
}
