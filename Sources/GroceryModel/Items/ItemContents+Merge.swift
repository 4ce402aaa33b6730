// Merging items field by field.
// SPDX-License-Identifier: Apache-2.0

extension ItemContents {
    /// Merges two versions that were made from one. A field that only one of them changed has that change. Tags are merged one by
    /// one. A field that both changed differently is a conflict, and has the value of `mine`. The form of the file is that of `theirs`.
    package static func merge(
        base: ItemContents, mine: ItemContents, theirs: ItemContents
    ) -> (merged: ItemContents, conflicts: [ItemField]) {
        var (merged, conflicts) = (mine, [ItemField]())
        func merge<Value: Equatable>(_ field: ItemField, _ value: WritableKeyPath<ItemContents, Value>) {
            let (old, own, other) = (base[keyPath: value], mine[keyPath: value], theirs[keyPath: value])
            if own == old {
                merged[keyPath: value] = other
            } else if other != old, other != own {
                conflicts.append(field)
            }
        }
        merge(.name, \.name)
        merge(.quantity, \.quantity)
        merge(.bought, \.isBought)
        merge(.picture, \.picture)
        merge(.note, \.note)
        merge(.others, \.otherLines)
        let (old, other) = (Set(base.tags), Set(theirs.tags))
        // Those of both are here twice, once of which is taken out below.
        merged.tags = mine.tags.filter { other.contains($0) || !old.contains($0) }
        merged.tags += theirs.tags.filter { !old.contains($0) }
        if mine.tags == base.tags { merged.tags = theirs.tags }
        merged.tags = merged.tags.tagsWithoutRepetition
        merged.layout = theirs.layout
        return (merged, conflicts)
    }

    /// Merges two versions whose origin is unknown: each field is that of `self`, or of the other where `self` has none. It is
    /// bought if one of them says so, and has the tags of both. Fields with two values are named.
    package func combined(with other: ItemContents) -> (merged: ItemContents, conflicts: [ItemField]) {
        var (merged, conflicts) = (self, [ItemField]())
        if name != other.name { conflicts.append(.name) }
        if quantity.isEmpty { merged.quantity = other.quantity }
        if !quantity.isEmpty, !other.quantity.isEmpty, quantity != other.quantity { conflicts.append(.quantity) }
        merged.isBought = isBought || other.isBought
        merged.tags = (tags + other.tags).tagsWithoutRepetition
        if picture == nil { merged.picture = other.picture }
        if let picture, let second = other.picture, picture != second { conflicts.append(.picture) }
        if note.isEmpty {
            merged.note = other.note
        } else if !other.note.isEmpty, other.note != note {
            // Both notes stay.
            merged.note = note + "\n" + other.note
        }
        merged.otherLines = (otherLines + other.otherLines).withoutRepetition
        return (merged, conflicts)
    }
}
