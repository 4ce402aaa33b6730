// Converts Boolean connectives and comparisons with nil.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GatherKit

extension PredicateExpressions.Conjunction: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.condition(lhs)
        return .truth(Truth(left.and(try conversion.condition(rhs))))
    }
}

extension PredicateExpressions.Disjunction: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let left = try conversion.condition(lhs)
        return .truth(Truth(left.or(try conversion.condition(rhs))))
    }
}

extension PredicateExpressions.Negation: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        .truth(Truth(try conversion.truth(wrapped).fails))
    }
}

extension PredicateExpressions.Conditional: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let test = try conversion.condition(test)
        switch (try conversion.term(trueBranch), try conversion.term(falseBranch)) {
        case (.value(let first), .value(let second)):
            if let constant = test.constant { return .value(constant ? first : second) }
            let sort = first.constant == MetadataValue.none ? second.sort : first.sort
            return .value(Value("TERNARY(\(test.text), \(first.text), \(second.text))", sort))
        case (.truth(let first), .truth(let second)) where !first.isOptional && !second.isOptional:
            return .truth(Truth(test.and(first.holds).or(test.negated.and(second.holds))))
        default: throw Conversion.refusal(of: self)
        }
    }
}

extension PredicateExpressions.NilCoalesce: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        switch (try conversion.term(lhs), try conversion.term(rhs)) {
        case (.value(let base), .value(let fallback)): return .value(.coalescing(base, fallback))
        case (.truth(let base), .truth(let fallback)) where !fallback.isOptional:
            return .truth(Truth(base.holds.or(base.isAbsent.and(fallback.holds))))
        default: throw Conversion.refusal(of: self)
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        guard case .value(var base) = try conversion.term(wrapped) else { throw Conversion.refusal(of: self) }
        // If there is a value, it is the value of the whole expression.
        base.parts = []
        conversion.bind(variable, to: .value(base))
        switch try conversion.term(transform) {
        case .value(let value):
            if base.constant == MetadataValue.none { return .value(Value(.none)) }
            guard base.constant == nil, !value.nilWithout.contains(base.text) else { return .value(value) }
            return .value(
                Value(
                    "TERNARY(\(base.text) == NIL, NIL, \(value.text))", value.sort, nilWithout: base.nilWithout))
        case .truth(var truth):
            if base.constant == MetadataValue.none { return .truth(.absent) }
            if base.constant == nil { truth.nilWithout.insert(base.text, at: 0) }
            return .truth(truth)
        default: throw Conversion.refusal(of: self)
        }
    }
}

// Swift traps without a value to unwrap. Here the result stays nil, and only `!=` is true of it.
extension PredicateExpressions.ForcedUnwrap: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        switch try conversion.term(inner) {
        case .truth(let truth): .truth(Truth(truth.holds))
        case let term: term
        }
    }
}

extension PredicateExpressions.NilLiteral: GatherConvertible {
    func term(in conversion: inout Conversion) -> Term {
        Wrapped.self == Bool.self ? .truth(.absent) : .value(Value(.none))
    }
}
