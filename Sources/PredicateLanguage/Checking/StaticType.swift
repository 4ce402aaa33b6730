// The type of an expression before evaluation.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The type of an expression over attributes, as far as it is known before evaluation.
indirect enum StaticType: Equatable {
    /// nil, which is comparable with every type.
    case none
    case boolean, number, string, date
    case array(StaticType)
    /// Unknown, or several types: known at evaluation only.
    case unknown

    init(_ type: AttributeType) {
        switch type {
        case .string: self = .string
        case .integer: self = .number
        case .date: self = .date
        case .boolean: self = .boolean
        case .strings: self = .array(.string)
        }
    }

    init(_ value: MetadataValue) {
        switch value {
        case .none: self = .none
        case .boolean: self = .boolean
        case .integer, .unsigned, .number: self = .number
        case .string: self = .string
        case .date: self = .date
        case .array(let values): self = .array(StaticType.common(values.map(StaticType.init)))
        case .dictionary: self = .unknown
        }
    }

    /// The one type of several values; nil is ignored.
    static func common(_ types: [StaticType]) -> StaticType {
        var common = StaticType.none
        for type in types where type != .none {
            if common == .none { common = type } else if common != type { return .unknown }
        }
        return common == .none ? .unknown : common
    }

    /// Whether it is one value that is known not to be nil and no list.
    var isScalar: Bool {
        switch self {
        case .boolean, .number, .string, .date: true
        case .none, .array, .unknown: false
        }
    }

    /// Whether values of the two types can be equal, or have an order. Booleans are the numbers 1 and 0.
    func isComparable(with other: StaticType) -> Bool {
        switch (self, other) {
        case (.none, _), (_, .none), (.unknown, _), (_, .unknown): true
        case (.number, .boolean), (.boolean, .number): true
        case (.array(let a), .array(let b)): a.isComparable(with: b)
        default: self == other
        }
    }

    /// The type with its article, for messages.
    var noun: String {
        switch self {
        case .none: "nil"
        case .boolean: "TRUE or FALSE"
        case .number: "a number"
        case .string: "text"
        case .date: "a date"
        case .array: "a list"
        case .unknown: "a value"
        }
    }
}
