// The operators and functions that each type has.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension AttributeResolver {
    // MARK: Comparisons

    /// Refuses an operator that its sides' types do not have. Under a quantifier `left` is the type of an element.
    func check(_ comparison: Comparison, _ left: StaticType, _ right: StaticType) throws(PredicateError) {
        let operation = comparison.operation
        switch operation {
        case .equal, .notEqual: try checkSameType(comparison, left, right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            try checkSameType(comparison, left, right)
            if case .array = left { throw noOrder(comparison) }
            if case .array = right { throw noOrder(comparison) }
        case .between:
            switch right {
            case .array(let element):
                if case .array(let bounds) = comparison.right.kind, bounds.count != 2 {
                    throw PredicateError(
                        "BETWEEN takes two bounds, as in {1, 10}, and has \(bounds.count)",
                        at: comparison.right.position.offset)
                }
                try checkElements(comparison, left, element)
                if case .array = left { throw noOrder(comparison) }
            case .unknown, .none: break
            default:
                throw PredicateError("BETWEEN takes two bounds, as in {1, 10}", at: comparison.right.position.offset)
            }
        case .in:
            switch right {
            case .array(let element): try checkElements(comparison, left, element)
            case .string: try requireText(comparison, left, right)
            case .unknown, .none: break
            default:
                throw PredicateError(
                    "IN takes a list, as in {'a', 'b'}, or text to look in; \(subject(comparison.right)) is \(right.noun)",
                    at: comparison.right.position.offset)
            }
        case .contains:
            if case .array(let element) = left {
                guard element.isComparable(with: right) else { throw mismatch(comparison, element, right) }
            } else {
                try requireText(comparison, left, right)
            }
        case .beginsWith, .endsWith, .like, .matches: try requireText(comparison, left, right)
        case .conformsTo, .sameType:
            try requireText(comparison, left, right)
            for side in [comparison.left, comparison.right] {
                guard let attribute = side.attribute, attribute != .contentType, attribute != .contentTypeTree else {
                    continue
                }
                throw PredicateError(
                    "\(operation.rawValue) compares content types, and \(subject(side)) is none",
                    at: comparison.operatorPosition.offset)
            }
        }
    }

    private func checkSameType(
        _ comparison: Comparison, _ left: StaticType, _ right: StaticType
    ) throws(PredicateError) {
        guard !left.isComparable(with: right) else { return }
        if case .array(let element) = right, element.isComparable(with: left) {
            throw PredicateError("a list is compared by IN or BETWEEN", at: comparison.operatorPosition.offset)
        }
        throw mismatch(comparison, left, right)
    }

    private func checkElements(
        _ comparison: Comparison, _ left: StaticType, _ element: StaticType
    ) throws(PredicateError) {
        guard left.isComparable(with: element) else { throw mismatch(comparison, left, element) }
        guard case .array(let elements) = comparison.right.kind else { return }
        for value in elements {
            guard let type = value.constant.map(StaticType.init), !left.isComparable(with: type) else { continue }
            throw PredicateError(
                "\(subject(comparison.left, left)) is \(left.noun), and this is \(type.noun)", at: value.position.offset
            )
        }
    }

    private func requireText(
        _ comparison: Comparison, _ left: StaticType, _ right: StaticType
    ) throws(PredicateError) {
        for (side, type) in [(comparison.left, left), (comparison.right, right)]
        where !type.isComparable(with: .string) {
            throw PredicateError(
                "\(comparison.operation.rawValue) compares text, and \(subject(side)) is \(type.noun)",
                at: side.isLiteral ? side.position.offset : comparison.operatorPosition.offset)
        }
    }

    private func noOrder(_ comparison: Comparison) -> PredicateError {
        PredicateError("a list has no order", at: comparison.operatorPosition.offset)
    }

    private func mismatch(_ comparison: Comparison, _ left: StaticType, _ right: StaticType) -> PredicateError {
        // The error points at the literal, which can be written differently; if both or neither is a literal, at the
        // right side.
        let (wrong, wrongType, other, otherType) =
            comparison.left.isLiteral && !comparison.right.isLiteral
            ? (comparison.left, left, comparison.right, right) : (comparison.right, right, comparison.left, left)
        return PredicateError(
            "\(subject(other, otherType)) is \(otherType.noun), and \(wrong.attribute == nil ? "this" : subject(wrong)) is "
                + wrongType.noun, at: wrong.position.offset)
    }

    /// Refuses a unit of time where only its first moment would count.
    func checkTimes(_ comparison: Comparison) throws(PredicateError) {
        var units: [Expression] = []
        func collect(_ expression: Expression) {
            if case .array(let elements) = expression.kind {
                for element in elements { collect(element) }
            } else if let time = expression.time, time.unit != .now {
                units.append(expression)
            }
        }
        guard comparison.operation == .in else { return }
        collect(comparison.right)
        collect(comparison.left)
        guard let unit = units.first else { return }
        throw PredicateError(
            "a unit of time is not a member of a list; write == or >=", at: unit.position.offset)
    }

    /// Refuses a kind or scope that does not exist.
    func checkValues(_ comparison: Comparison) throws(PredicateError) {
        for (side, other) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
            guard let attribute = side.attribute, let known = AttributeNames.values(of: attribute),
                [.equal, .notEqual, .in].contains(comparison.operation)
            else { continue }
            let candidates: [Expression]
            if case .array(let elements) = other.kind {
                candidates = elements
            } else if comparison.operation == .in {
                continue
            } else {
                candidates = [other]
            }
            let folding = TextFolding(comparison.options)
            for candidate in candidates {
                guard case .string(let text) = candidate.constant else { continue }
                guard !known.contains(where: { folding.fold($0).bytes == folding.fold(text).bytes }) else { continue }
                let meant =
                    AttributeNames.kindsElsewhere[text.lowercased()].flatMap { known.contains($0) ? $0 : nil }
                    .map { "; did you mean '\($0)'?" } ?? Spelling.suggestion(for: text, among: known)
                throw PredicateError(
                    "there is no \(attribute.name) '\(text)'"
                        + (meant.isEmpty ? "; there are " + known.joined(separator: ", ") : meant),
                    at: candidate.position.offset)
            }
        }
    }

    // MARK: Values

    /// The name of an expression in a message.
    func subject(_ expression: Expression) -> String {
        if let attribute = expression.attribute { return "'\(attribute.name)'" }
        return expression.isLiteral ? "this" : "the value"
    }

    /// The name of an expression in a message about one of its elements, or about all.
    private func subject(_ expression: Expression, _ type: StaticType) -> String {
        if case .array = type { return subject(expression) }
        return (expression.attribute?.type == .strings ? "each of " : "") + subject(expression)
    }

    func require(
        _ wanted: StaticType, _ expression: Expression, _ type: StaticType, by name: String
    ) throws(PredicateError) {
        guard !type.isComparable(with: wanted) else { return }
        throw PredicateError(
            "\(name) takes \(wanted.noun), and \(subject(expression)) is \(type.noun)", at: expression.position.offset)
    }

    func elementType(
        of base: Expression, _ type: StaticType, for name: String
    ) throws(PredicateError) -> StaticType {
        switch type {
        case .array(let element): return element
        case .unknown, .none: return .unknown
        default:
            throw PredicateError(
                "\(name) takes a list, and \(subject(base)) is \(type.noun)", at: base.position.offset)
        }
    }

    /// The type of a member; only text has one, `length`.
    func member(
        _ name: String, of base: Expression, _ type: StaticType, at position: Int
    ) throws(PredicateError) -> StaticType {
        switch type {
        case .string where name == "length": return .number
        case .array(let element): return .array(try member(name, of: base, element, at: position))
        case .unknown, .none: return .unknown
        default:
            throw PredicateError("\(subject(base)) is \(type.noun), and has no '\(name)'", at: position)
        }
    }

    func result(
        of function: Function, _ arguments: [Expression], _ types: [StaticType]
    ) throws(PredicateError) -> StaticType {
        let name = "\(function.rawValue)()"
        switch function {
        case .sum, .average, .median, .mode, .standardDeviation, .count, .min, .max:
            let element = try elementType(of: arguments[0], types[0], for: name)
            if function == .min || function == .max { return element }
            if function != .count, !element.isComparable(with: .number) {
                throw PredicateError(
                    "\(name) takes numbers, and these are \(element.noun)", at: arguments[0].position.offset)
            }
            return function == .mode ? .array(.number) : .number
        case .uppercase, .lowercase:
            try require(.string, arguments[0], types[0], by: name)
            return .string
        case .length:
            try require(.string, arguments[0], types[0], by: name)
            return .number
        case .noIndex: return types[0]
        default:
            for (argument, type) in zip(arguments, types) { try require(.number, argument, type, by: name) }
            return .number
        }
    }
}
