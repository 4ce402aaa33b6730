// A set of watch descriptors.
// SPDX-License-Identifier: Apache-2.0

/// Watch descriptors, each once.
struct WatchNumbers {
    private var table = NumberTable()

    var count: Int { table.count }

    /// The key of a watch descriptor in a ``NumberTable``.
    @inline(__always)
    static func key(_ watch: Int32) -> UInt64 { UInt64(UInt32(bitPattern: watch)) }

    func contains(_ watch: Int32) -> Bool { table.find(WatchNumbers.key(watch)) { $0 == watch } != nil }

    /// Makes room for so many more.
    mutating func reserve(_ more: Int) { table.reserve(more, keyOf: WatchNumbers.key) }

    /// False where it is there already. A negative number is no watch, and is not kept.
    @discardableResult
    mutating func insert(_ watch: Int32) -> Bool {
        guard watch >= 0 else { return false }
        return table.set(watch, WatchNumbers.key(watch), keyOf: WatchNumbers.key) { $0 == watch }
    }

    /// False where it was not there.
    @discardableResult
    mutating func remove(_ watch: Int32) -> Bool {
        watch >= 0 && table.remove(watch, WatchNumbers.key(watch), keyOf: WatchNumbers.key)
    }
}
