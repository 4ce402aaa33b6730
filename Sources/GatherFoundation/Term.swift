// The parts of a predicate during conversion: values, conditions, ranges.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A converted part of a Foundation predicate.
enum Term {
    /// The item itself.
    case item
    case value(Value)
    case truth(Truth)
    case range(Bounds)
}

/// An expression of the language.
struct Value {
    enum Sort { case text, number, date, list, codeUnits, unknown }

    var text: String
    var sort: Sort
    /// The value of a literal; nil for others.
    var constant: MetadataValue?
    /// The expressions, itself included, that make it nil if they are nil.
    var nilWithout: Set<String> = []
    /// `base ?? fallback`, for a comparison to take apart, so that the index can be used.
    var parts: [Value] = []
    /// Whether it is the variable of a condition on elements.
    var isElement = false

    init(_ text: String, _ sort: Sort, nilWithout: Set<String> = []) {
        self.text = text
        self.sort = sort
        self.nilWithout = nilWithout.union([text])
    }

    init(_ constant: MetadataValue) {
        text = Literal.text(of: constant)
        self.constant = constant
        sort =
            switch constant {
            case .string: .text
            case .integer, .unsigned, .number: .number
            case .date: .date
            case .array: .list
            default: .unknown
            }
    }

    /// An attribute.
    init(_ attribute: Attribute) {
        let sort: Sort =
            switch attribute.type {
            case .integer: .number
            case .date: .date
            case .strings: .list
            case .string, .boolean: .text
            }
        self.init(attribute.name, sort)
    }

    /// `base ?? fallback`.
    static func coalescing(_ base: Value, _ fallback: Value) -> Value {
        if let constant = base.constant { return constant == .none ? fallback : base }
        if fallback.constant == MetadataValue.none { return base }
        var value = Value("TERNARY(\(base.text) == NIL, \(fallback.text), \(base.text))", base.sort)
        value.parts = [base, fallback]
        return value
    }

    var list: [MetadataValue]? { if case .array(let elements) = constant { elements } else { nil } }
}

/// A Boolean of Swift: a condition, and the expressions that make it nil.
struct Truth {
    var condition: Condition
    /// Expressions that each make it nil if they are nil. The condition then has no meaning.
    var nilWithout: [String] = []
    var isNil = false

    init(_ condition: Condition, nilWithout: [String] = []) {
        self.condition = condition
        self.nilWithout = nilWithout
    }

    static let absent: Truth = {
        var truth = Truth(.constant(false))
        truth.isNil = true
        return truth
    }()

    /// Whether it is true and not nil.
    var holds: Condition { isNil ? .constant(false) : guarded(condition) }
    /// Whether it is false and not nil.
    var fails: Condition { isNil ? .constant(false) : guarded(condition.negated) }
    /// Whether it is nil.
    var isAbsent: Condition {
        isNil ? .constant(true) : nilWithout.reduce(.constant(false)) { $0.or(.isNil($1)) }
    }
    var isOptional: Bool { isNil || !nilWithout.isEmpty }

    private func guarded(_ condition: Condition) -> Condition {
        nilWithout.reversed().reduce(condition) { $0.falseWithout.contains($1) ? $0 : Condition.isPresent($1).and($0) }
    }
}

/// The bounds of a range.
struct Bounds {
    var lower: Value?
    var upper: Value?
    var includesUpper = false
}
