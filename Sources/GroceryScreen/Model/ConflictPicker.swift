// The choice between versions in conflict, field by field.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// A value of a field, and how the versions are called that have it.
struct ConflictChoice: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case name(String)
        case quantity(String)
        case bought(Bool)
        case tags([String])
        case picture(String?)
        case note(String)
    }

    /// `A`, `B` and so on, or `+` for all together.
    let label: String
    let value: Value

    /// The value as a person reads it.
    var text: String {
        switch value {
        case .name(let text), .quantity(let text), .note(let text): text.isEmpty ? "(none)" : text
        case .bought(let isBought): isBought ? "yes" : "no"
        case .tags(let tags): tags.isEmpty ? "(none)" : tags.map { "#" + $0 }.joined(separator: " ")
        case .picture(let name): name ?? "(none)"
        }
    }

    func apply(to contents: inout ItemContents) {
        switch value {
        case .name(let name): contents.name = name
        case .quantity(let quantity): contents.quantity = quantity
        case .bought(let isBought): contents.isBought = isBought
        case .tags(let tags): contents.tags = tags
        case .picture(let picture): contents.picture = picture
        case .note(let note): contents.note = note
        }
    }
}

/// The choices of one field, if the versions differ in it.
struct ConflictField: Sendable, Hashable {
    let title: String
    let choices: [ConflictChoice]
    var chosen = 0
}

/// The view of an item in conflict: its versions, and for each field in which they differ the values to choose from.
struct ConflictPicker: Sendable {
    let item: ItemIdentifier
    private(set) var versions: [ItemVersion] = []
    private(set) var fields: [ConflictField] = []
    /// The choice that the keys belong to, counted over all fields.
    private(set) var selected = 0
    /// The first line that is shown.
    var firstLine = 0

    init(item: ItemIdentifier) { self.item = item }

    var choiceCount: Int { fields.reduce(0) { $0 + $1.choices.count } }

    /// Takes versions. Values that are chosen stay chosen while there are such values.
    mutating func take(_ versions: [ItemVersion]) {
        let former = Dictionary(uniqueKeysWithValues: fields.map { ($0.title, $0.choices[$0.chosen].value) })
        self.versions = versions
        fields = ConflictPicker.fields(versions).map { field in
            var field = field
            field.chosen = field.choices.firstIndex { $0.value == former[field.title] } ?? 0
            return field
        }
        select(selected)
    }

    mutating func select(_ index: Int) { selected = max(0, min(index, choiceCount - 1)) }

    mutating func choose() {
        var rest = selected
        for index in fields.indices {
            if rest < fields[index].choices.count {
                fields[index].chosen = rest
                return
            }
            rest -= fields[index].choices.count
        }
    }

    /// The contents that the choices make, or the version that has exactly these.
    var resolution: Resolution? {
        guard var merged = versions.first?.contents else { return nil }
        for field in fields { field.choices[field.chosen].apply(to: &merged) }
        if let version = versions.first(where: { $0.contents == merged }) { return .version(version) }
        return .merged(merged)
    }

    /// The name of a version: `A` for the current one.
    static func label(_ index: Int) -> String {
        index < 26 ? String(Unicode.Scalar(UInt8(65 + index))) : String(index + 1)
    }

    private static func fields(_ versions: [ItemVersion]) -> [ConflictField] {
        let all = versions.map(\.contents)
        let tags = all.flatMap(\.tags).tagsWithoutRepetition
        let notes = all.map(\.note).filter { !$0.isEmpty }.withoutRepetition
        let fields: [ConflictField?] = [
            field("Name", all.map { .name($0.name) }),
            field("Quantity", all.map { .quantity($0.quantity) }),
            field("Bought", all.map { .bought($0.isBought) }),
            field("Tags", all.map { .tags($0.tags) }, together: .tags(tags)),
            field("Picture", all.map { .picture($0.picture) }),
            field("Note", all.map { .note($0.note) }, together: .note(notes.joined(separator: "\n"))),
        ]
        return fields.compactMap { $0 }
    }

    private static func field(
        _ title: String, _ values: [ConflictChoice.Value], together: ConflictChoice.Value? = nil
    ) -> ConflictField? {
        var labels: [(value: ConflictChoice.Value, label: String)] = []
        for (index, value) in values.enumerated() {
            if let known = labels.firstIndex(where: { $0.value == value }) {
                labels[known].label += label(index)
            } else {
                labels.append((value, label(index)))
            }
        }
        guard labels.count > 1 else { return nil }
        if let together, !labels.contains(where: { $0.value == together }) { labels.append((together, "+")) }
        return ConflictField(title: title, choices: labels.map { ConflictChoice(label: $0.label, value: $0.value) })
    }
}
