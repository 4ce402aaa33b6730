// Swift values with literals in the language.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A value that a predicate may capture.
protocol GatherConstant {
    func gatherValue() throws(PredicateConversionError) -> MetadataValue
}

/// A range that a predicate may capture.
protocol GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds
}

extension String: GatherConstant {
    func gatherValue() -> MetadataValue { .string(self) }
}
extension Substring: GatherConstant {
    func gatherValue() -> MetadataValue { .string(String(self)) }
}
extension Character: GatherConstant {
    func gatherValue() -> MetadataValue { .string(String(self)) }
}
extension Bool: GatherConstant {
    func gatherValue() -> MetadataValue { .boolean(self) }
}
extension Timestamp: GatherConstant {
    func gatherValue() -> MetadataValue { .date(self) }
}
extension ContainerIdentifier: GatherConstant {
    func gatherValue() -> MetadataValue { .string(rawValue) }
}
extension MetadataItem.ID: GatherConstant {
    func gatherValue() -> MetadataValue { .string(rawValue) }
}
extension FileKind: GatherConstant {
    func gatherValue() -> MetadataValue { .string(name.description) }
}

extension Int: GatherConstant {
    func gatherValue() -> MetadataValue { .integer(Int64(self)) }
}
extension Int64: GatherConstant {
    func gatherValue() -> MetadataValue { .integer(self) }
}
extension Int32: GatherConstant {
    func gatherValue() -> MetadataValue { .integer(Int64(self)) }
}
extension UInt: GatherConstant {
    func gatherValue() -> MetadataValue { MetadataValue(whole: UInt64(self)) }
}
extension UInt64: GatherConstant {
    func gatherValue() -> MetadataValue { MetadataValue(whole: self) }
}
extension UInt32: GatherConstant {
    func gatherValue() -> MetadataValue { .integer(Int64(self)) }
}
extension Double: GatherConstant {
    func gatherValue() throws(PredicateConversionError) -> MetadataValue {
        guard isFinite else { throw .value(type: "Double", reason: "\(self) is no number") }
        return .number(self)
    }
}

extension Optional: GatherConstant {
    func gatherValue() throws(PredicateConversionError) -> MetadataValue {
        switch self {
        case .none: .none
        case .some(let wrapped): try value(ofConstant: wrapped)
        }
    }
}
extension Array: GatherConstant {
    func gatherValue() throws(PredicateConversionError) -> MetadataValue { try list(self) }
}
extension Set: GatherConstant {
    // Sorted, so that equal predicates have equal text whatever the hashes are.
    func gatherValue() throws(PredicateConversionError) -> MetadataValue {
        guard case .array(let elements) = try list(self) else { return .none }
        return .array(elements.map { ($0, Literal.text(of: $0)) }.sorted { $0.1 < $1.1 }.map(\.0))
    }
}

private func list(_ elements: some Sequence) throws(PredicateConversionError) -> MetadataValue {
    var values: [MetadataValue] = []
    for element in elements { values.append(try value(ofConstant: element)) }
    return .array(values)
}

/// Returns the value of a constant that the language has.
func value<Constant>(ofConstant constant: Constant) throws(PredicateConversionError) -> MetadataValue {
    guard let known = constant as? any GatherConstant else {
        throw .value(type: "\(Constant.self)", reason: "there is no literal for it")
    }
    return try known.gatherValue()
}

extension Range: GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds {
        try Bounds(lower: Value(value(ofConstant: lowerBound)), upper: Value(value(ofConstant: upperBound)))
    }
}
extension ClosedRange: GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds {
        try Bounds(
            lower: Value(value(ofConstant: lowerBound)), upper: Value(value(ofConstant: upperBound)),
            includesUpper: true)
    }
}
extension PartialRangeFrom: GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds {
        Bounds(lower: Value(try value(ofConstant: lowerBound)))
    }
}
extension PartialRangeThrough: GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds {
        Bounds(upper: Value(try value(ofConstant: upperBound)), includesUpper: true)
    }
}
extension PartialRangeUpTo: GatherRange {
    func gatherBounds() throws(PredicateConversionError) -> Bounds {
        Bounds(upper: Value(try value(ofConstant: upperBound)))
    }
}
