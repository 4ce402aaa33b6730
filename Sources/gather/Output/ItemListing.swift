// An item as a list of its attributes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// An item's attributes as `mdls` prints them.
enum ItemListing {
    static func lines(_ attributes: [Attribute], of item: MetadataItem) -> [String] {
        // The name of an extended attribute may be anything.
        let names = attributes.map { DisplayText.escaped($0.name) }
        let width = names.map(\.utf8.count).max() ?? 0
        return zip(attributes, names).flatMap { attribute, name in
            let name = name + String(repeating: " ", count: width - name.utf8.count)
            let value =
                switch attribute {
                case .path: item.pathBytes.map { ["\"\(escaped(DisplayText.escaped($0)))\""] }
                case .name: item.nameBytes.map { ["\"\(escaped(DisplayText.escaped($0)))\""] }
                default: nil as [String]?
                }
            let lines = value ?? text(item.value(forAttribute: attribute), of: attribute)
            return ["\(name) = \(lines[0])"] + lines.dropFirst()
        }
    }

    /// The lines of a value. The first stands behind the name.
    private static func text(_ value: MetadataValue, of attribute: Attribute) -> [String] {
        switch value {
        case .none: ["(null)"]
        case .boolean(let value): [value ? "1" : "0"]
        case .string(let text): ["\"\(escaped(DisplayText.escaped(text)))\""]
        case .date(let date): [time(date)]
        case .array(let values):
            ["("]
                + values.enumerated().map { place, value in
                    "    \(text(value, of: attribute)[0])\(place < values.count - 1 ? "," : "")"
                } + [")"]
        case .integer, .unsigned, .number, .dictionary: [Readable.exact(value, of: attribute)]
        }
    }

    private static func escaped(_ text: String) -> String {
        text.contains("\"")
            ? text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"") : text
    }

    /// `2026-01-31 09:00:00 +0000`
    private static func time(_ time: Timestamp) -> String {
        let text = time.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) +0000"
    }
}
