// The language's own answer on an item, by the evaluator of the daemon.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import PredicateLanguage
import Varlink

@testable import GatherKit

/// A predicate in the language, to be tried on items.
struct Language {
    private let predicate: Predicate

    init(_ text: String) throws { predicate = try Predicate(parsing: text, mode: .metadata) }

    func holds(of item: MetadataItem) throws -> Bool { try predicate.evaluate(on: Attributes(item: item)) }

    private struct Attributes: AttributeValues {
        let item: MetadataItem
        func value(of attribute: Attribute) -> MetadataValue { item.value(forAttribute: attribute) }
    }

    /// The item that came as this JSON object.
    static func item(_ json: String) throws -> MetadataItem {
        let item: Item = try JSONBytes(json).decode()
        return MetadataItem(item)
    }

    /// The value of the text, if it is a literal beside the attribute `name`.
    static func literal(in text: String) throws -> String? {
        guard case .comparison(let comparison) = try Predicate(parsing: text, mode: .metadata).root.kind,
            case .string(let value) = comparison.right.constant
        else { return nil }
        return value
    }
}
