// Items in the order in which a list shows them.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// Items under one heading.
package struct ItemGroup: Sendable, Hashable {
    /// A tag; nil for items without tags in a list that is grouped, and for a list that is not.
    package var tag: String?
    /// Whether these are the items that are bought.
    package var isBought: Bool
    package var items: [GroceryItem]
}

extension [GroceryItem] {
    /// Returns the items in groups: under the first tag of each in the order of tags, then those without tags, then the bought ones.
    package func arranged(_ settings: ListSettings) -> [ItemGroup] {
        let sorted =
            switch settings.sorting {
            case .name: sortedByName()
            case .modified:
                sortedByName().enumerated().sorted {
                    let (a, b) = ($0.element.modified?.nanoseconds ?? 0, $1.element.modified?.nanoseconds ?? 0)
                    return a == b ? $0.offset < $1.offset : a > b
                }.map(\.element)
            }
        let open = sorted.filter { !$0.isBought }
        let bought = sorted.filter(\.isBought)
        var groups: [ItemGroup] = []
        if settings.isGrouped {
            let (byTag, spellings) = (Dictionary(grouping: open) { $0.tags.first.map(ItemText.tagKey) }, tagSpellings)
            let tags = byTag.keys.compactMap { $0 }.map { (key: $0, tag: spellings[$0] ?? $0) }
            for (key, tag) in tags.sorted(by: { NameOrder($0.tag) < NameOrder($1.tag) }) {
                groups.append(ItemGroup(tag: tag, isBought: false, items: byTag[key] ?? []))
            }
            if let rest = byTag[nil] { groups.append(ItemGroup(tag: nil, isBought: false, items: rest)) }
        } else if !open.isEmpty {
            groups.append(ItemGroup(tag: nil, isBought: false, items: open))
        }
        if !bought.isEmpty { groups.append(ItemGroup(tag: nil, isBought: true, items: bought)) }
        return groups
    }

    /// The spelling of each tag by its key: the one that most items have. If there are several, it is that of the item
    /// whose last change is the oldest. So the spelling that was typed first stays when items change.
    package var tagSpellings: [String: String] {
        var found: [String: [String: (items: Int, time: Int64, id: ItemIdentifier)]] = [:]
        for item in self {
            let time = item.modified?.nanoseconds ?? .max
            for tag in item.tags {
                var known = found[ItemText.tagKey(tag), default: [:]][tag] ?? (0, time, item.id)
                known.items += 1
                if (time, item.id) < (known.time, known.id) { (known.time, known.id) = (time, item.id) }
                found[ItemText.tagKey(tag), default: [:]][tag] = known
            }
        }
        return found.compactMapValues { spellings in
            spellings.min {
                (-$0.value.items, $0.value.time, $0.value.id) < (-$1.value.items, $1.value.time, $1.value.id)
            }?.key
        }
    }

    /// Returns tags that a person typed in the spelling that items have already.
    ///
    /// - Parameter tags: The tags.
    package func spelled(_ tags: [String]) -> [String] {
        if tags.isEmpty { return [] }
        let spellings = tagSpellings
        return tags.map { spellings[ItemText.tagKey($0)] ?? $0 }
    }
}
