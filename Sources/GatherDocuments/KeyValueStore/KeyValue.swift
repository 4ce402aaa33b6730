// A value of a key-value store.
// SPDX-License-Identifier: Apache-2.0

public import Metadata

/// A value in a ``KeyValueStore``.
public enum KeyValue: Sendable, Hashable {
    /// A text.
    case string(String)
    /// An integer, exact in its whole range.
    case integer(Int64)
    /// A finite number. Others are refused with ``DocumentError/Code/notFinite``.
    case double(Double)
    /// A truth value.
    case boolean(Bool)
    /// A point in time, exact to the nanosecond.
    case date(Timestamp)
    /// Bytes.
    case data([UInt8])
    /// Values in their order.
    case array([KeyValue])
    /// Values by key.
    case dictionary([String: KeyValue])
}

extension KeyValue {
    /// The bytes that the value counts against ``KeyValueLimits/largestContents``.
    ///
    /// Text and data count with their length in bytes, the keys of a dictionary with theirs. Integers, doubles and dates count
    /// 8, booleans 1, and each element of an array or a dictionary 1 more. Complexity: O(size).
    public var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .integer, .double, .date: 8
        case .boolean: 1
        case .data(let bytes): bytes.count
        case .array(let elements): elements.reduce(0) { $0 + 1 + $1.byteCount }
        case .dictionary(let elements): elements.reduce(0) { $0 + 1 + $1.key.utf8.count + $1.value.byteCount }
        }
    }

    /// Returns why a store cannot keep the value; nil if it can.
    func obstacle(key: String, depth: Int = 0) -> DocumentError? {
        switch self {
        case .string, .integer, .boolean, .date, .data: return nil
        case .double(let number): return number.isFinite ? nil : .notFinite(key: key)
        case .array(let elements):
            guard depth < KeyValueLimits.deepestNesting else { return .nestedTooDeeply(key: key) }
            for element in elements {
                if let obstacle = element.obstacle(key: key, depth: depth + 1) { return obstacle }
            }
            return nil
        case .dictionary(let elements):
            guard depth < KeyValueLimits.deepestNesting else { return .nestedTooDeeply(key: key) }
            for element in elements.values {
                if let obstacle = element.obstacle(key: key, depth: depth + 1) { return obstacle }
            }
            return nil
        }
    }
}

extension KeyValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Makes an array.
    public init(arrayLiteral elements: KeyValue...) { self = .array(elements) }
    /// Makes a dictionary. If a key comes twice, the last value counts.
    public init(dictionaryLiteral elements: (String, KeyValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
