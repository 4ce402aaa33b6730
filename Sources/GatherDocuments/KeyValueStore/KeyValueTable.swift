// The last changes of all keys.
// SPDX-License-Identifier: Apache-2.0

/// The last change of each key, with the sums that limits need.
struct KeyValueTable: Sendable {
    private(set) var entries: [String: KeyValueEntry] = [:]
    /// The keys that have a value.
    private(set) var keyCount = 0
    /// The bytes of all values.
    private(set) var byteCount = 0

    subscript(key: String) -> KeyValueEntry? { entries[key] }

    /// Takes an entry if it beats the one that there is. Returns whether it did. Complexity: O(value).
    @discardableResult
    mutating func merge(_ entry: KeyValueEntry) -> Bool {
        if let old = entries[entry.key] {
            guard entry.beats(old) else { return false }
            count(old, -1)
            // The key itself may differ in its normal form.
            entries[entry.key] = nil
        }
        entries[entry.key] = entry
        count(entry, 1)
        return true
    }

    /// Takes all entries of another table that beat those that there are.
    mutating func merge(_ other: KeyValueTable) {
        for entry in other.entries.values { merge(entry) }
    }

    /// Removes the oldest tombstones above a number.
    mutating func dropTombstones(above limit: Int) {
        guard entries.count - keyCount > limit else { return }
        let tombstones = entries.values.filter(\.isTombstone).sorted { $1.beats($0) }
        for entry in tombstones.dropLast(limit) { entries[entry.key] = nil }
    }

    private mutating func count(_ entry: KeyValueEntry, _ sign: Int) {
        guard !entry.isTombstone else { return }
        keyCount += sign
        byteCount += sign * entry.byteCount
    }

    /// The values by key.
    var dictionary: [String: KeyValue] { entries.compactMapValues(\.value) }

    /// Returns why a value may not be set; nil if it may. Keys that have a value may get one that is not larger, whatever the
    /// other devices have added.
    func obstacle(setting value: KeyValue, forKey key: String) -> DocumentError? {
        guard key.utf8.count <= KeyValueLimits.longestKey else { return .keyTooLong(key: key) }
        if let obstacle = value.obstacle(key: key) { return obstacle }
        let old = entries[key].flatMap { $0.isTombstone ? nil : $0 }
        if old == nil, keyCount >= KeyValueLimits.mostKeys { return .tooManyKeys(key: key) }
        let (oldBytes, newBytes) = (old?.byteCount ?? 0, value.byteCount)
        let total = byteCount - oldBytes + newBytes
        if total > KeyValueLimits.largestContents, old == nil || newBytes > oldBytes {
            return .tooManyBytes(key: key, excess: total - KeyValueLimits.largestContents)
        }
        return nil
    }
}
