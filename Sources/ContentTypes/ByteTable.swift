// A hash table with bytes as keys, looked up without a copy.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A hash table from texts to rules, several for one text, looked up with borrowed bytes. A `Dictionary` would need an
/// array for each name. Its keys come from the database; a name that collides with many of them costs at most the
/// longest run.
struct ByteTable: Sendable {
    private struct Slot {
        /// The place of the text in `texts`; a `length` of 0 is an empty slot.
        let start: UInt32
        let length: UInt32
        let rule: GlobTable.Rule
    }

    private var slots: [Slot?] = []
    private var texts: [UInt8] = []
    private var longest = 0

    var isEmpty: Bool { texts.isEmpty }

    private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        let hash = FNV1a.value(of: text)
        return hash ^ hash >> 32
    }

    /// Calls `body` with the rules of a text.
    @inline(__always)
    func forEach(_ text: UnsafeRawBufferPointer, _ body: (GlobTable.Rule) -> Void) {
        guard !text.isEmpty, text.count <= longest else { return }
        var place = Int(truncatingIfNeeded: ByteTable.hash(text)) & (slots.count - 1)
        while let slot = slots[place] {
            if slot.length == text.count {
                let start = Int(slot.start)
                if texts[start..<(start + text.count)].elementsEqual(text) { body(slot.rule) }
            }
            place = (place + 1) & (slots.count - 1)
        }
    }

    /// Collects the texts.
    struct Builder {
        private var entries: [(text: [UInt8], rule: GlobTable.Rule)] = []

        mutating func add(_ text: [UInt8], _ rule: GlobTable.Rule) { entries.append((text, rule)) }

        func finish() -> ByteTable {
            var table = ByteTable()
            guard !entries.isEmpty else { return table }
            var capacity = 16
            while capacity < entries.count * 4 { capacity *= 2 }
            table.slots = Array(repeating: nil, count: capacity)
            for (text, rule) in entries {
                var place = text.withUnsafeBytes { Int(truncatingIfNeeded: ByteTable.hash($0)) } & (capacity - 1)
                while table.slots[place] != nil { place = (place + 1) & (capacity - 1) }
                table.slots[place] = Slot(
                    start: UInt32(truncatingIfNeeded: table.texts.count),
                    length: UInt32(truncatingIfNeeded: text.count),
                    rule: rule)
                table.texts.append(contentsOf: text)
                table.longest = max(table.longest, text.count)
            }
            return table
        }
    }
}
