// When the answer to a query that follows the clock changes next, row by row.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// The rows of a query that follows the clock whose dates are compared with something else soon, by the moment (nanoseconds
/// since 1970) by which that has happened; up to a horizon, so that a million of them take no room.
struct MomentQueue: Sendable {
    private var heap = MinimumHeap()
    /// The earliest moment in the heap of each row in it. Later ones of the same row are passed over.
    private var earliest: [UInt32: Int64] = [:]
    /// Every moment up to here is known.
    private(set) var horizon: Int64
    /// How many rows are kept when there are too many; twice as many are.
    private var capacity = MomentQueue.smallestCapacity
    private var filledAt = Int64.min

    private static let smallestCapacity = 256
    private static let largestCapacity = 16_384
    /// Where the horizon is reached sooner than this, it was set too near.
    private static let shortWhile: Int64 = 1_000_000_000

    /// Knows nothing, and has to be filled at once.
    init(now: Int64) { horizon = max(now, .min + 1) - 1 }

    /// When to look next: at a row, or at what lies beyond the horizon.
    var next: Int64? { heap.first?.key ?? (horizon == .max ? nil : horizon + 1) }

    /// Whether all that happened up to `now` is known.
    func covers(_ now: Int64) -> Bool { now <= horizon }

    /// Forgets everything and knows all that is going to be noted.
    mutating func beginFilling(at now: Int64) {
        heap = MinimumHeap()
        earliest = [:]
        horizon = .max
        let isSoon = filledAt != .min && now >= filledAt && now - filledAt < MomentQueue.shortWhile
        capacity = isSoon ? min(capacity * 2, MomentQueue.largestCapacity) : MomentQueue.smallestCapacity
        filledAt = now
    }

    mutating func note(_ row: Row, _ moment: Int64) {
        guard moment <= horizon else { return }
        if let known = earliest[row.number], known <= moment { return }
        earliest[row.number] = moment
        heap.push(moment, row.number)
        if heap.count > 2 * capacity { shorten() }
    }

    /// Keeps the nearest, and none that share their moment with one that goes.
    private mutating func shorten() {
        let sorted = earliest.sorted { $0.value < $1.value }
        heap = MinimumHeap()
        if sorted.count > capacity {
            horizon = sorted[capacity].value - 1
            earliest = [:]
        }
        for (row, moment) in sorted where moment <= horizon {
            earliest[row] = moment
            heap.push(moment, row)
        }
    }

    /// Takes a row whose moment has come.
    mutating func popDue(_ now: Int64) -> Row? {
        while let first = heap.first, first.key <= now {
            heap.pop()
            guard earliest[first.number] == first.key else { continue }
            earliest[first.number] = nil
            return Row(first.number)
        }
        return nil
    }
}

/// Numbers by a key, the smallest first.
struct MinimumHeap: Sendable {
    struct Entry: Sendable {
        let key: Int64
        let number: UInt32
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    mutating func push(_ key: Int64, _ number: UInt32) {
        entries.append(Entry(key: key, number: number))
        var place = entries.count - 1
        while place > 0, entries[(place - 1) / 2].key > key {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var place = 0
        while true {
            var child = 2 * place + 1
            if child >= entries.count { return }
            if child + 1 < entries.count, entries[child + 1].key < entries[child].key { child += 1 }
            if entries[child].key >= last.key { return }
            entries.swapAt(place, child)
            place = child
        }
    }
}
