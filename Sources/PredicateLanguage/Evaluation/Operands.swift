// One comparison of two values.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata

/// A comparison's operator and right side, applied to values of its left side.
struct Operands {
    private let operation: Comparison.Operator
    private let options: TextOptions
    private let right: MetadataValue
    private let pattern: TextPattern?
    private let texts: TextSet?
    private let types: ContentTypeDatabase?

    init(_ comparison: Comparison, right: MetadataValue) {
        operation = comparison.operation
        options = comparison.options
        self.right = right
        pattern = comparison.pattern
        texts = comparison.texts
        types = comparison.types
    }

    func compare(_ left: MetadataValue) throws(EvaluationError) -> Bool {
        // Pattern and texts exist only for a constant right side.
        if case .string(var text) = left {
            if let pattern { return try pattern.matches(text) }
            if let texts { return text.withUTF8 { texts.contains(UnsafeRawBufferPointer($0)) } }
        }
        switch operation {
        case .equal: return try left.isEqual(to: right, options)
        case .notEqual: return try !left.isEqual(to: right, options)
        case .between: return try isBetween(left)
        case .in: return try isIn(left)
        case .contains: return try contains(left)
        default: break
        }
        // Except under equality, nil compares as false.
        if left == .none || right == .none { return false }
        if case .string(let a) = left, case .string(let b) = right { return try matches(a, b) }
        if operation.isOrdering {
            let order = try left.order(to: right, options)
            switch operation {
            case .less: return order < 0
            case .lessOrEqual: return order <= 0
            case .greater: return order > 0
            default: return order >= 0
            }
        }
        throw EvaluationError("\(operation.rawValue) compares text, and \(wrongNoun(left)) is on one side")
    }

    private func matches(_ left: String, _ right: String) throws(EvaluationError) -> Bool {
        switch operation {
        case .conformsTo: types?.type(left, conformsTo: right) ?? false
        case .sameType: types?.type(left, equals: right) ?? false
        default: try TextPattern(operation, right, options: options).matches(left)
        }
    }

    private func wrongNoun(_ left: MetadataValue) -> String {
        if case .string = left { return right.noun }
        return left.noun
    }

    private func isBetween(_ left: MetadataValue) throws(EvaluationError) -> Bool {
        if right == .none { return false }
        guard case .array(let bounds) = right else {
            throw EvaluationError("BETWEEN takes a list of two bounds, and this is \(right.noun)")
        }
        guard bounds.count == 2 else {
            throw EvaluationError("BETWEEN takes two bounds, and there are \(bounds.count)")
        }
        if left == .none || bounds[0] == .none || bounds[1] == .none { return false }
        guard try bounds[0].order(to: left, options) <= 0 else { return false }
        return try left.order(to: bounds[1], options) <= 0
    }

    private func isIn(_ left: MetadataValue) throws(EvaluationError) -> Bool {
        if left == .none { return false }
        switch right {
        case .none: return false
        case .array(let elements): return try left.isMember(of: elements, options)
        case .dictionary(let members): return try left.isMember(of: members.values, options)
        case .string(let text):
            guard case .string(let part) = left else {
                throw EvaluationError("IN looks for text in text, and \(left.noun) is on its left")
            }
            return try matches(part, text)
        default: throw EvaluationError("IN takes a list, an object or text on its right, and this is \(right.noun)")
        }
    }

    private func contains(_ left: MetadataValue) throws(EvaluationError) -> Bool {
        if left == .none || right == .none { return false }
        switch left {
        case .array(let elements): return try right.isMember(of: elements, options)
        case .dictionary(let members): return try right.isMember(of: members.values, options)
        case .string(let text):
            guard case .string(let part) = right else {
                throw EvaluationError("CONTAINS looks for text in text, and \(right.noun) is on its right")
            }
            return try matches(text, part)
        default: throw EvaluationError("CONTAINS takes a list, an object or text on its left, and this is \(left.noun)")
        }
    }
}
