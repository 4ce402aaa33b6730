// The presentation of results: order, counts and groups.
// SPDX-License-Identifier: Apache-2.0

/// The presentation of a query's results. It does not change which items match.
struct ResultArrangement: Sendable, Hashable {
    var sortKeys: [SortKey] = []
    var valueListAttributes: [Attribute] = []
    var groupingAttributes: [Attribute] = []
    /// The number of first results that readers see; nil for all.
    var limit: Int?

    /// The attributes that the arrangement reads. An item that is pushed out of the first results is told with its path.
    var attributes: [Attribute] {
        sortKeys.map(\.attribute) + valueListAttributes + groupingAttributes + (limit == nil ? [] : [.path])
    }

    /// Returns an item's sort key; empty if no order is requested.
    func sortKey(of item: MetadataItem) -> [UInt8] {
        guard !sortKeys.isEmpty else { return [] }
        var key = SortKeyBytes()
        for part in sortKeys {
            let start = key.bytes.count
            key.append(item, part.attribute)
            if !part.ascending { key.invert(from: start) }
        }
        return key.bytes
    }
}

extension SortKeyBytes {
    /// Appends an attribute of an item, as the daemon does. Text is appended as its bytes on disk.
    fileprivate mutating func append(_ item: MetadataItem, _ attribute: Attribute) {
        switch attribute {
        case .name: append(text: item.nameBytes ?? [], orMissing: item.name == nil)
        case .path: append(text: item.pathBytes ?? [], orMissing: item.path == nil)
        default: append(item.value(forAttribute: attribute), of: attribute.type)
        }
    }

    private mutating func append(text: [UInt8], orMissing isMissing: Bool) {
        if isMissing { appendMissing() } else { append(text: text) }
    }

    /// Appends a value. All values of an attribute have one type; `type` decides for a missing value.
    fileprivate mutating func append(_ value: MetadataValue, of type: AttributeType) {
        switch value {
        case .none, .dictionary: appendMissing()
        case .boolean(let flag): append(flag)
        case .integer(let number): append(number)
        case .unsigned(let number): append(number)
        case .number(let number): append(number)
        case .date(let date): append(date.nanoseconds)
        case .string(let text): append(text: Array(text.utf8))
        case .array(let values):
            append(
                texts: values.compactMap { value in
                    if case .string(let text) = value { text } else { nil }
                })
        }
    }
}

extension MetadataValue {
    /// The sort key of the value among others of its attribute.
    var sortKey: [UInt8] {
        var key = SortKeyBytes()
        key.append(self, of: .string)
        return key.bytes
    }
}
