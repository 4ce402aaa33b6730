// The changes that a subscriber has not received, one entry for each item.
// SPDX-License-Identifier: Apache-2.0

import DequeModule
import MetadataIndex

/// The changes that a subscriber has not received: one entry for each item, in the order of the first changes.
///
/// An item that the subscriber does not hold and that does not match has no entry. So the number of entries is at most
/// the number of held items plus the number of matches.
struct PendingItems {
    struct Entry {
        /// Whether the subscriber holds the item: its addition was published, and its removal was not.
        var isHeld: Bool
        /// Whether the item matches now.
        var matches: Bool
        var path = KnownPath.present

        /// The bytes of a path that no other entry shares.
        fileprivate var pathBytes: Int { if case .bytes(let bytes) = path { bytes.count } else { 0 } }
    }

    /// The path of an item that the subscriber knows, from the root.
    enum KnownPath {
        /// The present path.
        case present
        case bytes([UInt8])
        /// The present path with other text in place of its first `count` bytes, after a directory moved. Items below
        /// share the directory's former path, so it takes no memory for each.
        case below(former: [UInt8], count: Int)
    }

    private var entries: [ItemIdentifier: Entry] = [:]
    /// The items in the order of their first changes. It may have an item without an entry, or an item twice.
    private var order: Deque<ItemIdentifier> = []

    /// The approximate memory of one item: a table entry at the mean load, a place in the order, and the header of a
    /// path.
    static let bytesOfItem = 128

    /// The bytes of paths that no other entry shares.
    private(set) var pathBytes = 0

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    subscript(identifier: ItemIdentifier) -> Entry? {
        get { entries[identifier] }
        set {
            if let newValue, newValue.isHeld || newValue.matches {
                let former = entries.updateValue(newValue, forKey: identifier)
                if former == nil { order.append(identifier) }
                pathBytes += newValue.pathBytes - (former?.pathBytes ?? 0)
            } else if let former = entries.removeValue(forKey: identifier) {
                pathBytes -= former.pathBytes
                tidy()
            }
        }
    }

    /// Takes the oldest entry.
    mutating func popFirst() -> (ItemIdentifier, Entry)? {
        while let identifier = order.popFirst() {
            guard let entry = entries.removeValue(forKey: identifier) else { continue }
            pathBytes -= entry.pathBytes
            return (identifier, entry)
        }
        order = []
        return nil
    }

    /// Visits the next entries to take, at most `limit`.
    func forEachNext(limit: Int, _ body: (ItemIdentifier, Entry) -> Void) {
        var left = limit
        for identifier in order where left > 0 {
            guard let entry = entries[identifier] else { continue }
            body(identifier, entry)
            left -= 1
        }
    }

    /// Visits all entries, which the body may change or remove.
    mutating func updateEach(_ body: (ItemIdentifier, inout Entry) -> Void) {
        for (identifier, entry) in entries {
            var entry = entry
            body(identifier, &entry)
            self[identifier] = entry
        }
    }

    /// Removes items without entries from the order. Temporary files that come and go would otherwise fill it while a
    /// subscriber is slow.
    private mutating func tidy() {
        guard order.count > 64, order.count > entries.count * 2 else { return }
        var seen: Set<ItemIdentifier> = []
        order.removeAll { entries[$0] == nil || !seen.insert($0).inserted }
    }
}
