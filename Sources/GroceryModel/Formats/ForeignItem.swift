// An item from the fields of another program.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// An item from the fields of another program, or of Grocery's own export.
struct ForeignItem {
    private var values: [(key: String, value: ForeignValue)] = []
    private var keys: Set<String> = []
    /// The place in the file, such as `line 3`.
    let place: String

    init(place: String) { self.place = place }

    /// Takes a field with its name in the file.
    mutating func take(_ key: String, _ value: ForeignValue) throws(GroceryError) {
        guard keys.insert(key).inserted else {
            throw GroceryError(.invalid, "\(place) has the field '\(DisplayText.escaped(key))' twice")
        }
        values.append((key, value))
    }

    /// Adds the item to a file. Values that are left out are remembered there.
    ///
    /// - Parameter identifiers: The places of the identifiers so far.
    func add(to file: inout ImportedFile, _ identifiers: inout [String: String]) throws(GroceryError) {
        var item = ImportedItem(contents: ItemContents(name: ""), fields: [], place: place)
        var unit = ""
        // In the order of preference. The sort keeps the order of the file otherwise.
        let known = values.map { (ForeignField.named($0.key), $0.key, $0.value) }
        for (field, key, value) in known.sorted(by: { ($0.0?.rank ?? 0) < ($1.0?.rank ?? 0) }) {
            guard let field = field?.field, try take(field, key, value, &item, &unit) else {
                if !value.isEmpty { file.leaveOut(key) }
                continue
            }
            if case .text(let id) = value, field == .id, item.id == nil, !value.isEmpty {
                // Items of other programs have identifiers of other forms, which are not kept.
                try ImportedFile.require(id, place, &identifiers)
                file.leaveOut(key)
            }
        }
        item.contents.quantity = ItemText.trimmed("\(item.contents.quantity) \(unit)")
        item.contents.tags = item.contents.tags.tagsWithoutRepetition
        if item.id != nil { item.fields = Set(ItemField.allCases) }
        item.place = ForeignItem.place(place, item.contents.name)
        file.items.append(item)
    }

    /// Returns a place with the name of the item there.
    private static func place(_ place: String, _ name: String) -> String {
        name.isEmpty || name.utf8.count > GroceryLimits.lineBytes ? place : "\(place) ('\(DisplayText.escaped(name))')"
    }

    /// Gives an item a value. Returns false if the item has no such field, or has it from another value.
    private func take(
        _ field: ForeignField, _ key: String, _ value: ForeignValue, _ item: inout ImportedItem, _ unit: inout String
    ) throws(GroceryError) -> Bool {
        func set(_ field: WritableKeyPath<ItemContents, String>, _ kind: ItemField, separator: String? = nil) -> Bool {
            guard case .text(let text) = value else { return false }
            item.fields.insert(kind)
            let old = item.contents[keyPath: field]
            guard !old.isEmpty, !value.isEmpty, old != text else {
                if old.isEmpty { item.contents[keyPath: field] = text }
                return true
            }
            guard let separator else { return false }
            item.contents[keyPath: field] = old + separator + text
            return true
        }
        switch field {
        case .id:
            guard case .text(let text) = value else { return false }
            if item.id == nil { item.id = ItemIdentifier(text: ItemText.trimmed(text)) }
            return true
        case .name:
            if case .text(let text) = value, item.contents.name.isEmpty {
                item.contents.name = ItemText.trimmed(text)
                item.fields.insert(.name)
                return true
            }
            return set(\.name, .name)
        case .quantity: return set(\.quantity, .quantity)
        case .unit:
            guard case .text(let text) = value, unit.isEmpty else { return false }
            unit = text
            item.fields.insert(.quantity)
            return true
        case .note: return set(\.note, .note, separator: "\n")
        case .bought:
            if case .other = value { return false }
            guard let isTrue = value.isTrue else {
                guard case .text(let text) = value else { return false }
                throw GroceryError(
                    .invalid,
                    "\(place): '\(DisplayText.escaped(text))' in '\(DisplayText.escaped(key))' is neither yes nor no")
            }
            item.contents.isBought = item.contents.isBought || isTrue
            item.fields.insert(.bought)
            return true
        case .tags:
            switch value {
            case .text(let text):
                // People type them, with commas or semicolons.
                for tag in text.split(whereSeparator: { $0 == "," || $0 == ";" }) where !ItemText.trimmed(tag).isEmpty {
                    do throws(GroceryError) {
                        item.contents.tags.append(try ItemText.tag(tag))
                    } catch {
                        throw GroceryError(error.code, "\(place): \(error.message)")
                    }
                }
            case .list(let tags):
                item.contents.tags += tags.map { ItemText.trimmed($0) }.filter { !$0.isEmpty }
            case .bool, .other: return false
            }
            item.fields.insert(.tags)
            return true
        case .others:
            guard case .list(let lines) = value else { return false }
            item.contents.otherLines += lines
            item.fields.insert(.others)
            return true
        }
    }
}
