// The next moments at which the clock changes the answer of a live query, row by row.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// The rows of a live query whose dates the clock reaches soon, by the moment at which it does, in nanoseconds since
/// 1970. Rows beyond a horizon are not kept, so that a million rows need little memory.
struct MomentQueue: Sendable {
    private var heap = MinimumHeap()
    /// The earliest moment in the heap for each row. Later moments of the same row are ignored.
    private var earliest: [UInt32: Int64] = [:]
    /// All moments up to here are known.
    private(set) var horizon: Int64
    /// The number of rows kept when there are too many; up to twice as many are held.
    private var capacity = MomentQueue.smallestCapacity
    private var filledAt = Int64.min

    private static let smallestCapacity = 256
    private static let largestCapacity = 16_384
    /// A horizon reached sooner than this was too near.
    private static let shortWhile: Int64 = 1_000_000_000

    /// Makes an empty queue, to be filled at once.
    init(now: Int64) { horizon = max(now, .min + 1) - 1 }

    /// The next moment to act: at a row, or at the horizon.
    var next: Int64? { heap.first?.key ?? (horizon == .max ? nil : horizon + 1) }

    /// Whether all moments up to `now` are known.
    func covers(_ now: Int64) -> Bool { now <= horizon }

    /// Empties the queue. All moments added from here on are known.
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

    /// Keeps the nearest rows, and none with the same moment as a removed one.
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

    /// Removes a row whose moment has come.
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

/// Numbers by key, the smallest first.
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
