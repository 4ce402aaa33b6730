// Putting the items of a file on the list.
// SPDX-License-Identifier: Apache-2.0

extension GroceryList {
    /// The result of an import.
    package struct Import: Sendable {
        /// The items that were put on the list.
        package internal(set) var added: [ImportedItem] = []
        /// The number of items that were on the list already.
        package internal(set) var present = 0
        /// The items on the list that have an identifier of the file, and other contents. They stay as they are.
        package internal(set) var different: [GroceryItem] = []
        /// The items that were on the list and have the name of one that was added.
        package internal(set) var namesakes: [GroceryItem] = []
    }

    /// Puts the items of a file on the list, as one change. An item is on the list already if an item there has its
    /// identifier, or the same values in all fields that the file tells of. If two items in the file are equal, each
    /// needs one on the list.
    ///
    /// - Parameter warn: Is called before the first item is saved if the change is too large for ``undo(_:)``. If it throws, nothing is
    ///   changed.
    package func importing(_ items: [ImportedItem], warn: (Import) throws -> Void) async throws -> Import {
        var (result, rest) = (Import(), [ImportedItem]())
        let listed = try await exists() ? self.items() : []
        var present = Dictionary(listed.map { ($0.id.text.uppercased(), $0) }) { first, _ in first }
        for item in items {
            guard let id = item.id, let found = present.removeValue(forKey: id.text.uppercased()) else {
                rest.append(item)
                continue
            }
            if let contents = try? await contents(of: found.id), item.isEqual(contents) {
                result.present += 1
            } else {
                result.different.append(found)
            }
        }
        // Those whose identifiers are in the file are none of the others.
        var byName = Dictionary(grouping: listed.filter { present[$0.id.text.uppercased()] != nil }, by: \.name)
        for item in rest {
            let candidates = byName[item.contents.name] ?? []
            var equal: Int?
            for (index, candidate) in candidates.enumerated() where equal == nil {
                if let contents = try? await contents(of: candidate.id), item.isEqual(contents) { equal = index }
            }
            if let equal {
                result.present += 1
                byName[item.contents.name]?.remove(at: equal)
            } else {
                result.added.append(item)
            }
        }
        // Tags have the spelling of those on the list.
        let spellings = listed.tagSpellings
        for index in result.added.indices {
            let tags = result.added[index].contents.tags.map { spellings[ItemText.tagKey($0)] ?? $0 }
            result.added[index].contents.tags = tags
        }
        let names = Set(result.added.map(\.contents.name))
        result.namesakes = byName.values.joined().filter { names.contains($0.name) }.sortedByName()
        let steps = result.added.map { item in
            UndoStep.added(path: path(of: item.id ?? .random()), text: item.contents.text)
        }
        if !UndoLog.holds(steps) { try warn(result) }
        try await add(result.added.map { ExportedItem(id: $0.id, contents: $0.contents) })
        return result
    }
}
