// The items that match, by identity and in order.
// SPDX-License-Identifier: Apache-2.0

/// The items that match now. Adding, replacing and removing take constant time, apart from an order that is in use. A
/// changed item keeps its place among equal ones. Copies share memory until one of them changes.
///
/// With a limit, readers see the first items only. All items are counted.
struct ResultSet {
    private struct Entry {
        var item: MetadataItem
        let arrival: UInt64
    }

    /// The order, and the attributes to count and group by.
    private(set) var arrangement: ResultArrangement
    private var entries: [MetadataItem.ID: Entry] = [:]
    private var arrivals: UInt64 = 0
    private var order = ResultOrder()
    /// The items that readers see, if there is a limit.
    private var window = ResultWindow()
    /// The number of items for each value of the listed attributes. Values are distinguished by their sort keys, as in
    /// the daemon: a composed and a decomposed name are two values, although `String` finds them equal.
    private var tallies: [Attribute: [[UInt8]: AttributeValueCount]] = [:]

    init(_ arrangement: ResultArrangement = ResultArrangement()) {
        self.arrangement = arrangement
        arrange(arrangement)
    }

    /// The number of all items.
    var count: Int { entries.count }

    /// The number of items that readers see.
    var shownCount: Int { min(arrangement.limit ?? count, count) }

    subscript(id: MetadataItem.ID) -> MetadataItem? { entries[id]?.item }

    /// All items in the order of arrival. Costs O(n log n).
    var items: [MetadataItem] {
        entries.values.sorted { $0.arrival < $1.arrival }.map(\.item)
    }

    /// All items, unordered.
    var unordered: some Sequence<MetadataItem> { entries.values.lazy.map(\.item) }

    /// The items that readers were told of, in any order. Costs O(n log n).
    var told: [MetadataItem] { arrangement.limit == nil ? items : window.shown }

    /// The items that readers see in the requested order, or in that of arrival. Costs O(n), or O(n log n) after many
    /// changes; with a limit, O(limit).
    mutating func arranged() -> [MetadataItem] {
        if !order.isKept {
            let arrangement = arrangement
            order.fill(entries.values.lazy.map { ResultSet.place($0, arrangement) })
        }
        return order.items
    }

    /// Changes the presentation of the items. Returns the changes of what readers see, which only a limit has.
    @discardableResult
    mutating func arrange(_ arrangement: ResultArrangement) -> QueryChanges {
        let isLimited = arrangement.limit != nil || self.arrangement.limit != nil
        let former = isLimited ? told : []
        self.arrangement = arrangement
        order = ResultOrder(limit: arrangement.limit)
        tallies = [:]
        for attribute in arrangement.valueListAttributes { tallies[attribute] = [:] }
        for entry in entries.values { tally(entry.item, 1) }
        guard isLimited else { return QueryChanges() }
        window = ResultWindow(showing: former)
        defer { if arrangement.limit == nil { window = ResultWindow() } }
        return window.show(arranged(), after: QueryChanges())
    }

    // MARK: Changes

    /// Adds or replaces an item. Its former path belongs to the notification and is not kept.
    mutating func put(_ item: MetadataItem) {
        var item = item
        item.previousPathBytes = nil
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

    mutating func remove(_ id: MetadataItem.ID) {
        guard let former = entries.removeValue(forKey: id) else { return }
        if order.isKept { order.remove(ResultSet.place(former, arrangement)) }
        tally(former.item, -1)
    }

    /// Prepares for a number of changes. The order is dropped if sorting again costs less.
    mutating func prepare(changes: Int) { order.prepare(changes: changes) }

    /// Applies changes of the matches. Returns the changes of what readers see.
    @discardableResult
    mutating func apply(_ delta: QueryChanges) -> QueryChanges {
        prepare(changes: delta.removed.count + delta.added.count + delta.changed.count)
        for removal in delta.removed { remove(removal.id) }
        for item in delta.added { put(item) }
        for item in delta.changed { put(item) }
        return show(delta)
    }

    /// Returns the changes of what readers see for changes that were applied. With a limit, costs O(limit) if the first
    /// items changed, and O(n log n) if more of them are gone than were kept behind them.
    mutating func show(_ delta: QueryChanges) -> QueryChanges {
        guard arrangement.limit != nil else { return delta }
        order.forgetIfShort()
        let first = order.isKept ? nil : arranged()
        guard order.takeTouched() else { return QueryChanges() }
        return window.show(first ?? order.items, after: delta)
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

    /// Returns the values under which an item counts, by their sort keys: each value of a list, or the missing value.
    private static func values(of attribute: Attribute, _ item: MetadataItem) -> [[UInt8]: MetadataValue] {
        switch item.value(forAttribute: attribute) {
        case .array(let values) where !values.isEmpty:
            Dictionary(values.map { ($0.sortKey, $0) }, uniquingKeysWith: { first, _ in first })
        case .array: [MetadataValue.none.sortKey: .none]
        case let value: [value.sortKey: value]
        }
    }

    // MARK: Values and groups

    /// Returns the distinct values of the listed attributes, most frequent first, and equally frequent ones in their
    /// order.
    var valueLists: [Attribute: [AttributeValueCount]] {
        tallies.mapValues { counts in
            counts.sorted { first, second in
                if first.value.count != second.value.count { return first.value.count > second.value.count }
                return first.key.lexicographicallyPrecedes(second.key)
            }
            .map(\.value)
        }
    }

    /// Returns the items by their values of the grouping attributes. Costs O(n log n).
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
