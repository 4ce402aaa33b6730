// The items that match, by identity, in the order they came or in the one asked for.
// SPDX-License-Identifier: Apache-2.0

/// The items that match now. Adding, replacing and removing cost the same however many there are, but for what keeps an
/// order that somebody reads; a changed item keeps its place among equal ones. Copies share memory until one of them
/// changes.
struct ResultSet {
    private struct Entry {
        var item: MetadataItem
        let arrival: UInt64
    }

    /// In which order, and what is counted.
    private(set) var arrangement: ResultArrangement
    private var entries: [String: Entry] = [:]
    private var arrivals: UInt64 = 0
    private var order = ResultOrder()
    /// How many items have each value, of the attributes whose values are listed. Values are told apart by their sort
    /// keys, as the daemon does: a name composed and the same name decomposed are two, where `String` finds them equal.
    private var tallies: [Attribute: [[UInt8]: AttributeValueCount]] = [:]

    init(_ arrangement: ResultArrangement = ResultArrangement()) {
        self.arrangement = arrangement
        arrange(arrangement)
    }

    var count: Int { entries.count }

    subscript(id: String) -> MetadataItem? { entries[id]?.item }

    /// All items, in the order they came. Sorts: O(n log n).
    var items: [MetadataItem] {
        entries.values.sorted { $0.arrival < $1.arrival }.map(\.item)
    }

    /// All items, in no order.
    var unordered: some Sequence<MetadataItem> { entries.values.lazy.map(\.item) }

    /// All items, in the order asked for, or as they came. O(n); O(n log n) after much has changed.
    mutating func arranged() -> [MetadataItem] {
        if !order.isKept {
            let arrangement = arrangement
            order.fill(entries.values.lazy.map { ResultSet.place($0, arrangement) })
        }
        return order.items
    }

    /// Presents the same items in another way.
    mutating func arrange(_ arrangement: ResultArrangement) {
        self.arrangement = arrangement
        order.forget()
        tallies = [:]
        for attribute in arrangement.valueListAttributes { tallies[attribute] = [:] }
        for entry in entries.values { tally(entry.item, 1) }
    }

    // MARK: Changes

    /// Adds or replaces an item; what it says about a move belongs to the notification, and is not kept.
    mutating func put(_ item: MetadataItem) {
        var item = item
        item.previousPath = nil
        let entry: Entry
        if let former = entries[item.id] {
            entry = Entry(item: item, arrival: former.arrival)
            if order.isKept { order.remove(ResultSet.place(former, arrangement)) }
            tally(former.item, -1)
        } else {
            entry = Entry(item: item, arrival: arrivals)
            arrivals += 1
        }
        entries[item.id] = entry
        if order.isKept { order.insert(ResultSet.place(entry, arrangement)) }
        tally(item, 1)
    }

    mutating func remove(_ id: String) {
        guard let former = entries.removeValue(forKey: id) else { return }
        if order.isKept { order.remove(ResultSet.place(former, arrangement)) }
        tally(former.item, -1)
    }

    /// To be told how many changes are coming: the order is made anew where that costs less than to keep it.
    mutating func prepare(changes: Int) { order.prepare(changes: changes) }

    mutating func apply(_ delta: QueryChanges) {
        prepare(changes: delta.removed.count + delta.added.count + delta.changed.count)
        for removal in delta.removed { remove(removal.id) }
        for item in delta.added { put(item) }
        for item in delta.changed { put(item) }
    }

    private static func place(_ entry: Entry, _ arrangement: ResultArrangement) -> ResultOrder.Place {
        ResultOrder.Place(item: entry.item, key: arrangement.sortKey(of: entry.item), arrival: entry.arrival)
    }

    private mutating func tally(_ item: MetadataItem, _ step: Int) {
        for attribute in arrangement.valueListAttributes {
            for (key, value) in ResultSet.values(of: attribute, item) {
                let count = (tallies[attribute]?[key]?.count ?? 0) + step
                tallies[attribute]?[key] = count == 0 ? nil : AttributeValueCount(value: value, count: count)
            }
        }
    }

    /// The values under which an item counts, by their sort keys: each of a list, and none where it has none.
    private static func values(of attribute: Attribute, _ item: MetadataItem) -> [[UInt8]: MetadataValue] {
        switch item.value(forAttribute: attribute) {
        case .array(let values) where !values.isEmpty:
            Dictionary(values.map { ($0.sortKey, $0) }, uniquingKeysWith: { first, _ in first })
        case .array: [MetadataValue.none.sortKey: .none]
        case let value: [value.sortKey: value]
        }
    }

    // MARK: Values and groups

    /// The distinct values of the attributes asked for, most frequent first, of equally frequent ones in their order.
    var valueLists: [Attribute: [AttributeValueCount]] {
        tallies.mapValues { counts in
            counts.sorted { first, second in
                if first.value.count != second.value.count { return first.value.count > second.value.count }
                return first.key.lexicographicallyPrecedes(second.key)
            }
            .map(\.value)
        }
    }

    /// The items by their values of the first attribute asked for, within them by the next. O(n log n).
    mutating func groups() -> [ResultGroup] {
        ResultSet.groups(arranged(), by: arrangement.groupingAttributes[...])
    }

    private static func groups(_ items: [MetadataItem], by attributes: ArraySlice<Attribute>) -> [ResultGroup] {
        guard let attribute = attributes.first else { return [] }
        var members: [[UInt8]: (value: MetadataValue, items: [MetadataItem])] = [:]
        for item in items {
            for (key, value) in values(of: attribute, item) {
                members[key, default: (value, [])].items.append(item)
            }
        }
        return members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { _, group in
                ResultGroup(
                    attribute: attribute, value: group.value, results: group.items,
                    subgroups: groups(group.items, by: attributes.dropFirst()))
            }
    }
}
