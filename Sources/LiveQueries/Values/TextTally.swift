// Counts distinct texts without an allocation for a repeated one.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// Counts distinct texts, each kept once as bytes in one arena and found by its hash. The standard library's hash is
/// seeded for each process: users choose names, and must not be able to make them collide.
struct TextTally: Sendable {
    private struct Entry: Sendable {
        let start: Int
        let length: Int
        let hash: Int
        var count: Int
    }

    private var arena: [UInt8] = []
    private var entries: [Entry] = []
    /// The number of an entry plus one; 0 for none. The size is a power of two, at most half full.
    private var slots: [UInt32] = []

    /// The number of texts.
    var count: Int { entries.count }
    /// The bytes of all texts.
    var bytes: Int { arena.count }

    /// The count of the text with a number.
    func count(of entry: Int) -> Int { entries[entry].count }

    /// The text with a number, counted from 0.
    func text(of entry: Int) -> [UInt8] {
        Array(arena[entries[entry].start..<entries[entry].start + entries[entry].length])
    }

    /// Adds to the count of a text.
    mutating func add(_ text: UnsafeRawBufferPointer, count: Int = 1) {
        if entries.count * 2 >= slots.count { grow() }
        var hasher = Hasher()
        hasher.combine(bytes: text)
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if entries[number].hash == hash, isEqual(entries[number], text) {
                entries[number].count += count
                return
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        entries.append(Entry(start: arena.count, length: text.count, hash: hash, count: count))
        arena.append(contentsOf: text)
        slots[slot] = UInt32(entries.count)
    }

    mutating func add(_ text: [UInt8], count: Int = 1) { text.withUnsafeBytes { add($0, count: count) } }

    private func isEqual(_ entry: Entry, _ text: UnsafeRawBufferPointer) -> Bool {
        guard entry.length == text.count else { return false }
        return arena.withUnsafeBytes {
            RawBytes.isEqual(UnsafeRawBufferPointer(rebasing: $0[entry.start..<entry.start + entry.length]), text)
        }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: max(64, slots.count * 2))
        for (number, entry) in entries.enumerated() {
            var slot = entry.hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}
