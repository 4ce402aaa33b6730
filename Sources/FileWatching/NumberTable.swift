// A hash table of numbers whose keys stand elsewhere.
// SPDX-License-Identifier: Apache-2.0

/// A hash table of numbers that are not negative, by keys of 64 bits that stand elsewhere, at the place that a number
/// tells: four bytes for each in place of a copy of the key, and a hash that takes less time than the look. A caller
/// that changes a key takes its number out before, and puts it in again.
///
/// The hash is a product with a factor that no other process has, so that no program can have names made whose numbers
/// fall on one another. Complexity: O(1) for each call.
struct NumberTable {
    private static let free: Int32 = -1
    private static let smallest = 16

    /// At least half are free, so that every search ends soon. A power of two.
    private var buckets: [Int32] = Array(repeating: free, count: smallest)
    private let factor = UInt64.random(in: .min ... .max) | 1
    /// The uppermost bits of a product depend on all of the key.
    private var shift = UInt64(64 - smallest.trailingZeroBitCount)
    private(set) var count = 0

    @inline(__always)
    private func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: (key &* factor) &>> shift) }

    /// The number with this key, of those where `matches` holds.
    @inline(__always)
    func find(_ key: UInt64, where matches: (Int32) -> Bool) -> Int32? {
        let mask = buckets.count - 1
        var bucket = home(key)
        while true {
            let there = buckets[bucket]
            if there == NumberTable.free { return nil }
            if matches(there) { return there }
            bucket = (bucket + 1) & mask
        }
    }

    /// Makes room for so many more.
    mutating func reserve(_ more: Int, keyOf: (Int32) -> UInt64) {
        var size = NumberTable.smallest
        while size < (count + more) * 2 { size *= 2 }
        if size > buckets.count { rebuild(size, keyOf) }
    }

    /// Puts a number in the place of the one with its key for which `matches` holds, or adds it. `keyOf` says the key of any
    /// that is in the table. True where it was added.
    @discardableResult
    @inline(__always)
    mutating func set(
        _ number: Int32, _ key: UInt64, keyOf: (Int32) -> UInt64, replacing matches: (Int32) -> Bool
    ) -> Bool {
        if (count + 1) * 2 > buckets.count { rebuild(buckets.count * 2, keyOf) }
        let mask = buckets.count - 1
        var bucket = home(key)
        while buckets[bucket] != NumberTable.free {
            if matches(buckets[bucket]) {
                buckets[bucket] = number
                return false
            }
            bucket = (bucket + 1) & mask
        }
        buckets[bucket] = number
        count += 1
        return true
    }

    /// Takes a number out that is not negative; false where it is not there.
    @discardableResult
    mutating func remove(_ number: Int32, _ key: UInt64, keyOf: (Int32) -> UInt64) -> Bool {
        let mask = buckets.count - 1
        var gap = home(key)
        while buckets[gap] != number {
            if buckets[gap] == NumberTable.free { return false }
            gap = (gap + 1) & mask
        }
        // Those behind it whose search would end at the gap move up.
        var next = gap
        while true {
            next = (next + 1) & mask
            let there = buckets[next]
            if there == NumberTable.free { break }
            let home = home(keyOf(there))
            guard (next - home) & mask >= (next - gap) & mask else { continue }
            buckets[gap] = there
            gap = next
        }
        buckets[gap] = NumberTable.free
        count -= 1
        if buckets.count > 4_096, count * 16 < buckets.count { rebuild(buckets.count / 4, keyOf) }
        return true
    }

    @inline(never)
    private mutating func rebuild(_ size: Int, _ keyOf: (Int32) -> UInt64) {
        let former = buckets
        buckets = Array(repeating: NumberTable.free, count: size)
        shift = UInt64(64 - size.trailingZeroBitCount)
        guard count > 0 else { return }
        for number in former where number != NumberTable.free {
            var bucket = home(keyOf(number))
            while buckets[bucket] != NumberTable.free { bucket = (bucket + 1) & (size - 1) }
            buckets[bucket] = number
        }
    }
}
