// A step of a change, with everything that undoes it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// A step of a change, with everything that undoes it.
enum UndoStep: Sendable, Hashable {
    /// An item was edited.
    case edited(id: ItemIdentifier, path: String, before: String, after: String)
    /// A file was made; with the text of an item, or nil for a picture.
    case added(path: String, text: String?)
    /// A file was moved to the trash.
    case trashed(path: String, trash: String)

    /// The step of a file that was moved to the trash.
    static func trashed(_ item: Trash.Item) -> UndoStep {
        .trashed(path: item.originalPath.string, trash: item.path.string)
    }

    var isEdit: Bool { if case .edited = self { true } else { false } }

    var value: KeyValue {
        switch self {
        case .edited(let id, let path, let before, let after):
            [
                "edited": .string(id.text), "path": .string(path), "before": .string(before), "after": .string(after),
            ]
        case .added(let path, let text):
            text.map { ["added": .string(path), "after": .string($0)] } ?? ["added": .string(path)]
        case .trashed(let path, let trash): ["trashed": .string(path), "trash": .string(trash)]
        }
    }

    init?(_ value: KeyValue) {
        guard case .dictionary(let fields) = value else { return nil }
        func text(_ key: String) -> String? {
            if case .string(let text)? = fields[key] { text } else { nil }
        }
        if let id = text("edited").flatMap({ ItemIdentifier(text: $0) }), let path = text("path"),
            let before = text("before"), let after = text("after")
        {
            self = .edited(id: id, path: path, before: before, after: after)
        } else if let path = text("added") {
            self = .added(path: path, text: text("after"))
        } else if let path = text("trashed"), let trash = text("trash") {
            self = .trashed(path: path, trash: trash)
        } else {
            return nil
        }
    }
}
