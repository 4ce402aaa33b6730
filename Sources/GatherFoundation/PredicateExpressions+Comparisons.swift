// Converts comparisons, ranges and conditions on several values.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GatherKit

extension Conversion {
    fileprivate mutating func equality<Left: PredicateExpression, Right: PredicateExpression>(
        _ lhs: Left, _ rhs: Right, of node: some PredicateExpression, isNegated: Bool
    ) throws(PredicateConversionError) -> Term {
        switch (try term(lhs), try term(rhs)) {
        case (.value(let left), .value(let right)):
            return .truth(Truth(Comparisons.compare(left, isNegated ? .notEqual : .equal, right)))
        case (.truth(let left), .truth(let right)):
            let condition: Condition
            if right.isNil || left.isNil {
                condition = right.isNil ? left.isAbsent : right.isAbsent
            } else if !right.isOptional, let value = right.condition.constant {
                condition = value ? left.holds : left.fails
            } else if !left.isOptional, let value = left.condition.constant {
                condition = value ? right.holds : right.fails
            } else {
                condition = left.holds.and(right.holds).or(left.fails.and(right.fails))
                    .or(left.isAbsent.and(right.isAbsent))
            }
            return .truth(Truth(isNegated ? condition.negated : condition))
        default: throw Conversion.refusal(of: node)
        }
    }
}

extension PredicateExpressions.Equal: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        try conversion.equality(lhs, rhs, of: self, isNegated: false)
    }
}

extension PredicateExpressions.NotEqual: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        try conversion.equality(lhs, rhs, of: self, isNegated: true)
    }
}

extension PredicateExpressions.Comparison: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let operation: Comparisons.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw Conversion.refusal(of: self)
            }
        let left = try conversion.value(lhs)
        return .truth(Truth(Comparisons.compare(left, operation, try conversion.value(rhs))))
    }
}

// MARK: Ranges

extension PredicateExpressions.Range: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let low = try conversion.value(lower)
        return .range(Bounds(lower: low, upper: try conversion.value(upper)))
    }
}

extension PredicateExpressions.ClosedRange: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let low = try conversion.value(lower)
        return .range(Bounds(lower: low, upper: try conversion.value(upper), includesUpper: true))
    }
}

extension PredicateExpressions.RangeExpressionContains: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        guard case .range(let bounds) = try conversion.term(range) else { throw Conversion.refusal(of: self) }
        let element = try conversion.value(element)
        var condition = Condition.constant(true)
        if let lower = bounds.lower { condition = Comparisons.compare(element, .greaterOrEqual, lower) }
        if let upper = bounds.upper {
            condition = condition.and(
                Comparisons.compare(element, bounds.includesUpper ? .lessOrEqual : .less, upper))
        }
        return .truth(Truth(condition))
    }
}

// MARK: Text

extension PredicateExpressions.CollectionContainsCollection: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let text = try conversion.value(base)
        let part = try conversion.value(other)
        guard text.sort == .text, part.sort == .text else { throw Conversion.refusal(of: self) }
        return .truth(Truth(Comparisons.text(text, "CONTAINS", part)))
    }
}

extension PredicateExpressions.SequenceStartsWith: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let text = try conversion.value(base)
        let part = try conversion.value(prefix)
        guard text.sort == .text, part.sort == .text else { throw Conversion.refusal(of: self) }
        return .truth(Truth(Comparisons.text(text, "BEGINSWITH", part)))
    }
}

// MARK: Several values

extension PredicateExpressions.SequenceContains: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let list = try conversion.value(sequence)
        guard list.sort == .list || list.sort == .text else { throw Conversion.refusal(of: self) }
        return .truth(Truth(Comparisons.contains(list, try conversion.value(element))))
    }
}

extension Conversion {
    /// Converts a condition on one element of a sequence, or on all.
    fileprivate mutating func quantified<Sequence: PredicateExpression, Test: PredicateExpression, Element>(
        _ sequence: Sequence, _ variable: PredicateExpressions.Variable<Element>, _ test: Test,
        of node: some PredicateExpression, all: Bool
    ) throws(PredicateConversionError) -> Term {
        let list = try value(sequence)
        guard list.sort == .list else { throw Conversion.refusal(of: node) }
        if let values = list.list {
            // All values are known, so the condition is written for each.
            var condition = Condition.constant(all)
            for value in values {
                bind(variable, to: .value(Value(value)))
                let holds = try self.condition(test)
                condition = all ? condition.and(holds) : condition.or(holds)
            }
            return .truth(Truth(condition))
        }
        let element = element()
        bind(variable, to: .value(element))
        let holds = try condition(test)
        return .truth(
            Truth(
                Comparisons.apart(list) { list in
                    if let values = list.list, values.isEmpty { return .constant(all) }
                    if let rest = holds.afterElement {
                        return Condition(
                            "\(all ? "ALL" : "ANY") \(list.text)\(rest)", falseWithout: all ? [] : list.nilWithout)
                    }
                    let tested = all ? holds.negated : holds
                    return Condition(
                        "SUBQUERY(\(list.text), \(element.text), \(tested.text)).@count \(all ? "==" : ">") 0",
                        falseWithout: all ? [] : list.nilWithout)
                }))
    }
}

extension PredicateExpressions.SequenceContainsWhere: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        try conversion.quantified(sequence, variable, test, of: self, all: false)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        try conversion.quantified(sequence, variable, test, of: self, all: true)
    }
}

extension PredicateExpressions.Filter: GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term {
        let list = try conversion.value(sequence)
        guard list.sort == .list else { throw Conversion.refusal(of: self) }
        let element = conversion.element()
        conversion.bind(variable, to: .value(element))
        let holds = try conversion.condition(filter)
        return .value(Value("SUBQUERY(\(list.text), \(element.text), \(holds.text))", .list))
    }
}
