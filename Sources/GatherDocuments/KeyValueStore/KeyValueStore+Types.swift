// Values of a key-value store by their type.
// SPDX-License-Identifier: Apache-2.0

public import Metadata

extension KeyValueStore {
    /// The text of a key; nil if it has none, or a value of another type.
    public func string(forKey key: String) -> String? {
        guard case .string(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The integer of a key; nil if it has none, or a value of another type.
    public func integer(forKey key: String) -> Int64? {
        guard case .integer(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The number of a key. An integer that a double holds exactly counts, too. Nil if there is none, or a value of another type.
    public func double(forKey key: String) -> Double? {
        switch value(forKey: key) {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        default: nil
        }
    }

    /// The truth value of a key; nil if it has none, or a value of another type.
    public func boolean(forKey key: String) -> Bool? {
        guard case .boolean(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The point in time of a key; nil if it has none, or a value of another type.
    public func date(forKey key: String) -> Timestamp? {
        guard case .date(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The bytes of a key; nil if it has none, or a value of another type.
    public func data(forKey key: String) -> [UInt8]? {
        guard case .data(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The array of a key; nil if it has none, or a value of another type.
    public func array(forKey key: String) -> [KeyValue]? {
        guard case .array(let value) = value(forKey: key) else { return nil }
        return value
    }

    /// The dictionary of a key; nil if it has none, or a value of another type.
    public func dictionary(forKey key: String) -> [String: KeyValue]? {
        guard case .dictionary(let value) = value(forKey: key) else { return nil }
        return value
    }
}
