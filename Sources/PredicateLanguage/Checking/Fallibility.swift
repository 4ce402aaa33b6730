// Whether a part of a predicate can raise an evaluation error.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// How the evaluation of a part of a predicate can fail, from the mildest on.
package enum Fallibility: Int, Sendable, Comparable {
    /// It has an answer for every item.
    case never
    /// Only a regular expression can fail, by taking too much work (``PredicateLimits/regularExpressionSteps``).
    case limit
    /// Values can fail: a division by zero, an overflow, an index out of range, a cast.
    case error

    package static func < (a: Fallibility, b: Fallibility) -> Bool { a.rawValue < b.rawValue }
}

extension PredicateNode {
    /// How evaluating it over attributes can fail. Conservative: ``Fallibility/error`` where types do not tell.
    package var fallibility: Fallibility {
        switch kind {
        case .constant: .never
        case .and(let terms), .or(let terms): terms.map(\.fallibility).max() ?? .never
        case .not(let term): term.fallibility
        case .comparison(let comparison): comparison.fallibility
        }
    }
}

extension Comparison {
    fileprivate var fallibility: Fallibility {
        guard var left = left.typeWhereSafe, let right = right.typeWhereSafe else { return .error }
        if quantifier != nil {
            guard case .array(let element) = left else { return left == .none ? .never : .error }
            left = element
        }
        switch operation {
        case .equal, .notEqual: return .never
        case .in, .contains:
            let (whole, part) = operation == .in ? (right, left) : (left, right)
            if case .array = whole { return .never }
            return whole.isTextOrNil && part.isTextOrNil ? .never : .error
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return left.isOrdered(with: right) ? .never : .error
        case .between:
            guard case .array(let bounds) = self.right.kind, bounds.count == 2, case .array(let element) = right else {
                return .error
            }
            return left.isOrdered(with: element) ? .never : .error
        case .beginsWith, .endsWith, .like, .conformsTo, .sameType:
            return left.isTextOrNil && right.isTextOrNil ? .never : .error
        case .matches:
            // A pattern that is no constant may be no regular expression.
            return pattern != nil && left.isTextOrNil ? .limit : .error
        }
    }
}

extension StaticType {
    fileprivate var isTextOrNil: Bool { self == .string || self == .none }

    /// Whether values of the two types always have an order.
    fileprivate func isOrdered(with other: StaticType) -> Bool {
        if case .array = self { return false }
        return self != .unknown && other != .unknown && isComparable(with: other)
    }
}

extension Expression {
    /// Whether its value is a whole number or nil.
    private var isInteger: Bool {
        if case .integer? = constant { return true }
        // The result of numbers beyond 2^63 may have more than 64 bits.
        return attribute.map { $0.type == .integer && !$0.isUnsigned } ?? false
    }

    /// The type of its value, where evaluating it cannot fail; nil where it can, or where types do not tell.
    fileprivate var typeWhereSafe: StaticType? {
        switch kind {
        case .constant(let value): return StaticType(value)
        case .attribute(let attribute): return StaticType(attribute.type)
        case .time: return .date
        case .array(let elements):
            var types: [StaticType] = []
            for element in elements {
                guard let type = element.typeWhereSafe else { return nil }
                types.append(type)
            }
            return .array(StaticType.common(types))
        case .member(let base, "length"):
            switch base.typeWhereSafe {
            case .string?: return .number
            case .array(.string)?: return .array(.number)
            default: return nil
            }
        case .end(let base, let end):
            guard case .array(let element)? = base.typeWhereSafe else { return nil }
            return end == .size ? .number : element
        case .aggregate(let base, .count, path: _):
            guard case .array? = base.typeWhereSafe else { return nil }
            return .number
        case .function(let function, let arguments):
            switch (function, arguments.first?.typeWhereSafe) {
            case (.lowercase, .string?), (.uppercase, .string?): return .string
            case (.length, .string?), (.count, .array?): return .number
            case (.bitwiseAnd, _), (.bitwiseOr, _), (.bitwiseXor, _), (.onesComplement, _):
                return arguments.allSatisfy(\.isInteger) ? .number : nil
            default: return nil
            }
        case .ternary(let condition, let first, let second):
            guard condition.fallibility == .never, let a = first.typeWhereSafe, let b = second.typeWhereSafe else {
                return nil
            }
            return StaticType.common([a, b])
        case .evaluatedObject, .key, .variable, .member, .aggregate, .index, .negation, .arithmetic, .cast, .subquery:
            return nil
        }
    }
}
