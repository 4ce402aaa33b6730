// What a subscriber has not been told yet, one entry an item.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// What a subscriber has not been told yet: one entry for each item, however often that changed, in the order of the
/// first changes. An item that the subscriber does not hold and that does not match needs no entry, so there are never
/// more than the subscriber holds and the query matches together.
struct PendingItems {
    struct Entry {
        /// Whether the subscriber was told of the item and not yet that it is gone.
        var isHeld: Bool
        /// Whether it matches now.
        var matches: Bool
        var path = KnownPath.present

        /// Bytes of a path that is its own.
        fileprivate var pathBytes: Int { if case .bytes(let bytes) = path { bytes.count } else { 0 } }
    }

    /// The path that a subscriber knows of an item, from the root.
    enum KnownPath {
        /// It is the present one.
        case present
        case bytes([UInt8])
        /// The present one with something else in place of its first `count` bytes, after a directory moved. What lay
        /// below it shares the former path of the directory, and takes no room of its own.
        case below(former: [UInt8], count: Int)
    }

    private var entries: [ItemIdentifier: Entry] = [:]
    /// In the order of the first changes. May hold items that have no entry any more, or one twice.
    private var order: [ItemIdentifier] = []
    /// Where in `order` the first that was not taken stands.
    private var head = 0

    /// Bytes of the paths that the entries have of their own.
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

    /// Takes the entry that was made first.
    mutating func popFirst() -> (ItemIdentifier, Entry)? {
        while head < order.count {
            let identifier = order[head]
            head += 1
            if head > 64, head * 2 > order.count {
                order.removeFirst(head)
                head = 0
            }
            guard let entry = entries.removeValue(forKey: identifier) else { continue }
            pathBytes -= entry.pathBytes
            return (identifier, entry)
        }
        order = []
        head = 0
        return nil
    }

    /// Goes through the entries that are taken next, at most `limit`.
    func forEachNext(limit: Int, _ body: (ItemIdentifier, Entry) -> Void) {
        var left = limit
        for identifier in order[head...] where left > 0 {
            guard let entry = entries[identifier] else { continue }
            body(identifier, entry)
            left -= 1
        }
    }

    /// Goes through all entries, which may change or go.
    mutating func updateEach(_ body: (ItemIdentifier, inout Entry) -> Void) {
        for (identifier, entry) in entries {
            var entry = entry
            body(identifier, &entry)
            self[identifier] = entry
        }
    }

    /// Names without entries must not gather where temporary files come and go under a slow reader.
    private mutating func tidy() {
        guard order.count > 64, order.count > entries.count * 2 else { return }
        order.removeFirst(head)
        head = 0
        var seen: Set<ItemIdentifier> = []
        order.removeAll { entries[$0] == nil || !seen.insert($0).inserted }
    }
}
