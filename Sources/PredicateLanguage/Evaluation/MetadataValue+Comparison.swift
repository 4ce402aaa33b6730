// Equality and order of values.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension MetadataValue {
    /// The type with its article, for messages.
    var noun: String {
        switch self {
        case .none: "nil"
        case .boolean: "TRUE or FALSE"
        case .integer, .unsigned, .number: "a number"
        case .string: "text"
        case .date: "a date"
        case .array: "a list"
        case .dictionary: "an object"
        }
    }

    /// Whether the two are the same value. Types are never converted, except that true and false are 1 and 0. Text is
    /// compared by code points and folded by the options; `String`'s own equality would take NFC for NFD.
    func isEqual(to other: MetadataValue, _ options: TextOptions) throws(EvaluationError) -> Bool {
        switch (self, other) {
        case (.none, .none): return true
        case (.string(let a), .string(let b)): return a.order(to: b, options) == 0
        case (.date(let a), .date(let b)): return a == b
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            for (a, b) in zip(a, b) where try !a.isEqual(to: b, options) { return false }
            return true
        case (.dictionary(let a), .dictionary(let b)):
            guard a.count == b.count else { return false }
            for (key, value) in a {
                guard let other = b[key], try value.isEqual(to: other, options) else { return false }
            }
            return true
        default:
            guard let a = Number(self), let b = Number(other) else { return false }
            return a.order(to: b) == 0
        }
    }

    func isMember(
        of elements: some Sequence<MetadataValue>, _ options: TextOptions
    ) throws(EvaluationError) -> Bool {
        for element in elements where try isEqual(to: element, options) { return true }
        return false
    }

    /// Below zero, zero or above, for the order of this value to another. Numbers, texts and dates have an order among
    /// themselves.
    func order(to other: MetadataValue, _ options: TextOptions) throws(EvaluationError) -> Int {
        switch (self, other) {
        case (.string(let a), .string(let b)): return a.order(to: b, options)
        case (.date(let a), .date(let b)): return a < b ? -1 : a == b ? 0 : 1
        default:
            guard let a = Number(self), let b = Number(other) else {
                throw EvaluationError("\(noun) and \(other.noun) have no order")
            }
            return a.order(to: b)
        }
    }
}

extension String {
    /// The order by code points of the folded texts: below zero, zero or above.
    func order(to other: String, _ options: TextOptions) -> Int {
        let folding = TextFolding(options)
        if folding.isIdentity {
            var (a, b) = (self, other)
            return a.withUTF8 { first in
                b.withUTF8 { ByteSearch.compare(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer($0)) }
            }
        }
        let (a, b) = (folding.fold(self).bytes, folding.fold(other).bytes)
        return a.withUnsafeBytes { first in b.withUnsafeBytes { ByteSearch.compare(first, $0) } }
    }
}
