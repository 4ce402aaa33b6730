// From keys to attributes, with a check of every operator and literal against their types.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Resolves the keys of a predicate to attributes and checks types, so that what can be known to be wrong is said
/// when the query is made. Literals take the type of the attribute beside them, and a comparison that begins with its
/// constant is turned round, for the planner's sake.
struct AttributeResolver {
    /// The types of the variables of the SUBQUERYs around.
    private var variables: [(name: String, type: StaticType)] = []

    mutating func resolve(root: PredicateNode) throws(PredicateError) -> PredicateNode {
        if let presence = try resolvePresence(root) { return presence }
        return try resolve(root)
    }

    /// `ATTRIBUTE == '*'`, standing alone, asks whether the attribute has a value: the platform's way to ask for
    /// everything.
    private mutating func resolvePresence(_ root: PredicateNode) throws(PredicateError) -> PredicateNode? {
        guard case .comparison(var comparison) = root.kind, comparison.operation == .equal, comparison.options.isEmpty,
            comparison.right.constant == .string("*"), comparison.quantifier == nil || comparison.quantifier == .any,
            let attribute = try attribute(comparison.left)
        else { return nil }
        comparison.quantifier = nil
        comparison.left = Expression(.attribute(attribute), at: comparison.left.position.offset)
        comparison.operation = .notEqual
        comparison.right = Expression(.constant(.none), at: comparison.right.position.offset)
        return PredicateNode(.comparison(comparison), at: root.position.offset)
    }

    /// The attribute that an expression is, which is nothing but its name; nil for anything else.
    private func attribute(_ expression: Expression) throws(PredicateError) -> Attribute? {
        if case .key(let key) = expression.kind {
            return try AttributeNames.attribute(key, at: expression.position.offset)
        }
        return try AttributeNames.extended(expression)
    }

    private mutating func resolve(_ node: PredicateNode) throws(PredicateError) -> PredicateNode {
        var node = node
        switch node.kind {
        case .constant: break
        case .and(let terms): node.kind = .and(try resolve(terms))
        case .or(let terms): node.kind = .or(try resolve(terms))
        case .not(let term): node.kind = .not(try resolve(term))
        case .comparison(let comparison): node.kind = .comparison(try resolve(comparison))
        }
        return node
    }

    private mutating func resolve(_ terms: [PredicateNode]) throws(PredicateError) -> [PredicateNode] {
        var result: [PredicateNode] = []
        for term in terms { result.append(try resolve(term)) }
        return result
    }

    // MARK: Comparisons

    private mutating func resolve(_ comparison: Comparison) throws(PredicateError) -> Comparison {
        var comparison = comparison
        var (left, leftType) = try resolve(comparison.left)
        if case .key(let key) = comparison.right.kind, Attribute(name: key) == nil {
            // Mostly text without its quotes.
            throw PredicateError(
                "unknown attribute '\(key)'; text stands in quotes: '\(key)'", at: comparison.right.position.offset)
        }
        var (right, rightType) = try resolve(comparison.right)
        if let quantifier = comparison.quantifier {
            switch leftType {
            case .array(let element): leftType = element
            case .unknown: break
            default:
                throw PredicateError(
                    "\(quantifier.rawValue) asks several values, and \(subject(left)) is \(leftType.noun)",
                    at: left.position.offset)
            }
        }
        if !comparison.operation.needsText, comparison.operation != .contains {
            if leftType == .date { (right, rightType) = try dates(right, rightType) }
            if rightType == .date || rightType == .array(.date) { (left, leftType) = try dates(left, leftType) }
        }
        comparison.left = left
        comparison.right = right
        try check(comparison, leftType, rightType)
        try checkTimes(comparison)
        try checkValues(comparison)
        return turned(comparison)
    }

    /// Constant texts as the dates that they have to be beside a date.
    private func dates(
        _ expression: Expression, _ type: StaticType
    ) throws(PredicateError) -> (Expression, StaticType) {
        switch expression.kind {
        case .constant(.string(let text)):
            guard let date = DateText.timestamp(text) else {
                throw DateText.error(text, at: expression.position.offset)
            }
            return (Expression(.constant(.date(date)), at: expression.position.offset), .date)
        case .array(let elements):
            var dates: [Expression] = []
            var types: [StaticType] = []
            for element in elements {
                let own = element.constant.map(StaticType.init) ?? (element.time == nil ? .unknown : .date)
                let (date, type) = try self.dates(element, own)
                dates.append(date)
                types.append(type)
            }
            return (Expression(.array(dates), at: expression.position.offset), .array(StaticType.common(types)))
        default: return (expression, type)
        }
    }

    /// `10 < size` as `size > 10`, `'x' IN tags` as `tags CONTAINS 'x'`.
    private func turned(_ comparison: Comparison) -> Comparison {
        guard comparison.quantifier == nil, comparison.left.isLiteral, comparison.right.attribute != nil,
            let reversed = comparison.operation.reversed
        else { return comparison }
        var comparison = comparison
        comparison.operation = reversed
        swap(&comparison.left, &comparison.right)
        return comparison
    }

    // MARK: Expressions

    mutating func resolve(_ expression: Expression) throws(PredicateError) -> (Expression, StaticType) {
        let position = expression.position.offset
        func made(_ kind: Expression.Kind, _ type: StaticType) -> (Expression, StaticType) {
            (Expression(kind, at: position), type)
        }
        if let attribute = try AttributeNames.extended(expression) {
            return made(.attribute(attribute), StaticType(attribute.type))
        }
        switch expression.kind {
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
        case .cast(let operand, let target):
            let (operand, _) = try resolve(operand)
            return made(.cast(operand, target), target == .number ? .number : target == .string ? .string : .date)
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

extension Expression {
    /// Whether it is a literal, a list of literals, or a time: something with no attribute in it.
    var isLiteral: Bool { constant != nil || constantArray != nil || time != nil }
}
