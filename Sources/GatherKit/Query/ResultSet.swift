// The items that match, by identity, in the order they came.
// SPDX-License-Identifier: Apache-2.0

/// The items that match now. Adding, replacing and removing cost the same however many there are; the order is that of
/// arrival, and a changed item keeps its place. Copies share memory until one of them changes.
struct ResultSet {
    private struct Entry {
        var item: MetadataItem
        let arrival: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var arrivals: UInt64 = 0

    var count: Int { entries.count }

    subscript(id: String) -> MetadataItem? { entries[id]?.item }

    /// All items, in the order they came. Sorts: O(n log n).
    var items: [MetadataItem] {
        entries.values.sorted { $0.arrival < $1.arrival }.map(\.item)
    }

    /// All items, in no order.
    var unordered: some Sequence<MetadataItem> { entries.values.lazy.map(\.item) }

    /// Adds or replaces an item; what it says about a move belongs to the notification, and is not kept.
    mutating func put(_ item: MetadataItem) {
        var item = item
        item.previousPath = nil
        guard entries[item.id]?.item == nil else {
            entries[item.id]?.item = item
            return
        }
        entries[item.id] = Entry(item: item, arrival: arrivals)
        arrivals += 1
    }

    mutating func remove(_ id: String) { entries[id] = nil }

    mutating func apply(_ delta: QueryChanges) {
        for removal in delta.removed { remove(removal.id) }
        for item in delta.added { put(item) }
        for item in delta.changed { put(item) }
    }
}
