// Resolves the keys of expressions, and finds their types.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension AttributeResolver {
    /// Returns the expression with its keys as attributes, and its type.
    mutating func resolve(_ expression: Expression) throws(PredicateError) -> (Expression, StaticType) {
        let position = expression.position.offset
        func made(_ kind: Expression.Kind, _ type: StaticType) -> (Expression, StaticType) {
            (Expression(kind, at: position), type)
        }
        if let attribute = try AttributeNames.extended(expression) {
            return made(.attribute(attribute), StaticType(attribute.type))
        }
        switch expression.kind {
        case .constant(.integer(let value)):
            guard let written = unusualNumbers[position] else { return (expression, .number) }
            return made(.constant(.integer(try number(value, written, at: position))), .number)
        case .constant(let value): return (expression, StaticType(value))
        case .attribute(let attribute): return (expression, StaticType(attribute.type))
        case .time: return (expression, .date)
        case .evaluatedObject:
            throw PredicateError("SELF has no value here; name an attribute", at: position)
        case .key(let key):
            let attribute = try AttributeNames.attribute(key, at: position)
            return made(.attribute(attribute), StaticType(attribute.type))
        case .variable(let name):
            return (expression, variables.last { $0.name == name }?.type ?? .unknown)
        case .member(let base, let name):
            let (base, type) = try resolve(base)
            return made(.member(base, name), try member(name, of: base, type, at: position))
        case .aggregate(let base, let aggregate, let path):
            return try resolveAggregate(base, aggregate, path, at: position)
        case .end(let base, let end):
            let (base, type) = try resolve(base)
            let element = try elementType(of: base, type, for: "[\(end.rawValue)]")
            return made(.end(base, end), end == .size ? .number : element)
        case .index(let base, let index):
            let (base, type) = try resolve(base)
            let element = try elementType(of: base, type, for: "[…]")
            let (number, numberType) = try resolve(index)
            try require(.number, number, numberType, by: "an index")
            return made(.index(base, number), element)
        case .array(let elements):
            let (elements, types) = try resolve(elements)
            return made(.array(elements), .array(StaticType.common(types)))
        case .negation(let operand):
            let (operand, type) = try resolve(operand)
            try require(.number, operand, type, by: "'-'")
            return made(.negation(operand), .number)
        case .arithmetic(let a, let operation, let b):
            let (left, leftType) = try resolve(a)
            let (right, rightType) = try resolve(b)
            try require(.number, left, leftType, by: "'\(operation.rawValue)'")
            try require(.number, right, rightType, by: "'\(operation.rawValue)'")
            return made(.arithmetic(left, operation, right), .number)
        case .function(let function, let arguments):
            let (arguments, types) = try resolve(arguments)
            let type = try result(of: function, arguments, types)
            return made(.function(function, arguments), type)
        case .cast(let operand, let target, let zone):
            let (operand, _) = try resolve(operand)
            return made(.cast(operand, target, zone), target == .number ? .number : target == .string ? .string : .date)
        case .ternary(let condition, let a, let b):
            let condition = try resolve(condition)
            let (first, firstType) = try resolve(a)
            let (second, secondType) = try resolve(b)
            return made(.ternary(condition, first, second), StaticType.common([firstType, secondType]))
        case .subquery(let collection, let variable, let condition):
            let (collection, type) = try resolve(collection)
            let element = try elementType(of: collection, type, for: "SUBQUERY")
            variables.append((variable, element))
            let condition = try resolve(condition)
            variables.removeLast()
            return made(.subquery(collection, variable: variable, condition), .array(element))
        }
    }

    /// The value of an integer that is not written in plain decimal: with a leading 0 it is octal next to `mode` only.
    private mutating func number(_ value: Int64, _ written: String, at position: Int) throws(PredicateError)
        -> Int64
    {
        guard written.utf8.allSatisfy(\.isDigit) else { return value }
        let octal = Int64(written, radix: 8)
        guard isOctal else {
            if let octal, octal != value {
                add(PredicateHint("\(written) is decimal here", write: "0o\(String(octal, radix: 8))", at: position))
            }
            return value
        }
        guard let octal else {
            throw PredicateError(
                "next to mode a number with a leading 0 is octal, and \(written) is not; write one such as 0644",
                at: position)
        }
        return octal
    }

    private mutating func resolve(
        _ expressions: [Expression]
    ) throws(PredicateError) -> ([Expression], [StaticType]) {
        var result: [Expression] = []
        var types: [StaticType] = []
        for expression in expressions {
            let (resolved, type) = try resolve(expression)
            result.append(resolved)
            types.append(type)
        }
        return (result, types)
    }

    private mutating func resolveAggregate(
        _ base: Expression, _ aggregate: Expression.Aggregate, _ path: [String], at position: Int
    ) throws(PredicateError) -> (Expression, StaticType) {
        let (base, type) = try resolve(base)
        var element = try elementType(of: base, type, for: "@\(aggregate.rawValue)")
        for name in path where name != "self" { element = try member(name, of: base, element, at: position) }
        let resolved = Expression(.aggregate(base, aggregate, path: path), at: position)
        switch aggregate {
        case .count: return (resolved, .number)
        case .min, .max: return (resolved, element)
        case .sum, .average:
            guard element.isComparable(with: .number) else {
                throw PredicateError("@\(aggregate.rawValue) adds numbers, and these are \(element.noun)", at: position)
            }
            return (resolved, .number)
        }
    }
}
