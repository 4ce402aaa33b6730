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

    /// The spelling of each tag by its key: that of the item whose last change is the oldest. So the spelling that was typed first
    /// stays.
    package var tagSpellings: [String: String] {
        var found: [String: (time: Int64, id: ItemIdentifier, tag: String)] = [:]
        for item in self {
            for tag in item.tags {
                let (key, time) = (ItemText.tagKey(tag), item.modified?.nanoseconds ?? .max)
                if let known = found[key], (known.time, known.id) <= (time, item.id) { continue }
                found[key] = (time, item.id, tag)
            }
        }
        return found.mapValues(\.tag)
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
