// Evaluates a predicate for one item.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The source of a predicate's keys during evaluation.
protocol EvaluationScope {
    /// The evaluated object itself.
    var object: MetadataValue { get }
    func value(ofKey key: String) -> MetadataValue
    func value(of attribute: Attribute) -> MetadataValue
    func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result
}

/// An object with any keys.
struct ObjectScope: EvaluationScope {
    let object: MetadataValue

    func value(ofKey key: String) -> MetadataValue {
        guard case .dictionary(let members) = object else { return .none }
        return members[key] ?? .none
    }

    func value(of attribute: Attribute) -> MetadataValue { value(ofKey: attribute.name) }

    func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        guard case .string(var text) = value(of: attribute) else { return try body(nil) }
        return try text.withBytes(body)
    }
}

/// An item with attributes.
struct AttributeScope<Values: AttributeValues>: EvaluationScope {
    let values: Values

    var object: MetadataValue { .none }
    func value(ofKey key: String) -> MetadataValue { Attribute(name: key).map(values.value(of:)) ?? .none }
    func value(of attribute: Attribute) -> MetadataValue { values.value(of: attribute) }

    func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result { try values.withText(of: attribute, body) }
}

/// Evaluates trees over one item. The parser's nesting limit bounds the recursion.
struct Evaluator<Scope: EvaluationScope> {
    let scope: Scope
    /// The current elements of the enclosing SUBQUERYs.
    private var variables: [(name: String, value: MetadataValue)] = []

    init(_ scope: Scope) { self.scope = scope }

    mutating func evaluate(_ node: PredicateNode) throws(EvaluationError) -> Bool {
        switch node.kind {
        case .constant(let value): return value
        case .and(let terms):
            for term in terms where try !evaluate(term) { return false }
            return true
        case .or(let terms):
            for term in terms where try evaluate(term) { return true }
            return false
        case .not(let term): return try !evaluate(term)
        case .comparison(let comparison):
            do throws(EvaluationError) {
                return try evaluate(comparison)
            } catch {
                throw EvaluationError(error.message, at: error.position ?? comparison.operatorPosition.offset)
            }
        }
    }

    private mutating func evaluate(_ comparison: Comparison) throws(EvaluationError) -> Bool {
        if comparison.quantifier == nil, let attribute = comparison.left.attribute, attribute.type == .string,
            comparison.pattern != nil || comparison.texts != nil
        {
            return try scope.withText(of: attribute) { (bytes) throws(EvaluationError) in
                guard let bytes else { return comparison.operation == .notEqual }
                return try comparison.pattern?.matches(bytes) ?? comparison.texts?.contains(bytes) ?? false
            }
        }
        let left = try value(of: comparison.left)
        let operands = Operands(comparison, right: try value(of: comparison.right))
        guard let quantifier = comparison.quantifier else { return try operands.compare(left) }
        let elements: [MetadataValue]
        switch left {
        case .none: elements = []
        case .array(let values): elements = values
        default:
            throw EvaluationError("\(quantifier.rawValue) takes a list, and this is \(left.noun)")
        }
        for element in elements {
            let holds = try operands.compare(element)
            switch quantifier {
            case .any where holds: return true
            case .all where !holds: return false
            case .none where holds: return false
            default: break
            }
        }
        return quantifier != .any
    }

    // MARK: Values

    mutating func value(of expression: Expression) throws(EvaluationError) -> MetadataValue {
        switch expression.kind {
        case .constant(let value): return value
        case .evaluatedObject: return scope.object
        case .key(let key): return scope.value(ofKey: key)
        case .attribute(let attribute): return scope.value(of: attribute)
        case .variable(let name): return variables.last { $0.name == name }?.value ?? .none
        case .time(let time): return .date(time.start(from: .now))
        case .array(let elements):
            return .array(try values(of: elements))
        default: break
        }
        do throws(EvaluationError) {
            return try compositeValue(of: expression)
        } catch {
            throw EvaluationError(error.message, at: error.position ?? expression.position.offset)
        }
    }

    private mutating func values(of expressions: [Expression]) throws(EvaluationError) -> [MetadataValue] {
        var values: [MetadataValue] = []
        values.reserveCapacity(expressions.count)
        for expression in expressions { values.append(try value(of: expression)) }
        return values
    }

    private mutating func compositeValue(of expression: Expression) throws(EvaluationError) -> MetadataValue {
        switch expression.kind {
        case .constant, .evaluatedObject, .key, .attribute, .variable, .time, .array: return .none
        case .member(let base, let name): return try value(of: base).member(name)
        case .aggregate(let base, let aggregate, let path):
            return try Aggregation.value(of: aggregate, path: path, over: try value(of: base))
        case .end(let base, let end): return try value(of: base).end(end)
        case .index(let base, let index): return try value(of: base).element(try value(of: index))
        case .negation(let operand):
            return try Arithmetic.apply(.subtract, .integer(0), try value(of: operand))
        case .arithmetic(let left, let operation, let right):
            return try Arithmetic.apply(operation, try value(of: left), try value(of: right))
        case .function(let function, let arguments):
            return try function.apply(try values(of: arguments))
        case .cast(let operand, let type, let zone): return try value(of: operand).cast(to: type, in: zone)
        case .ternary(let condition, let first, let second):
            return try evaluate(condition) ? try value(of: first) : try value(of: second)
        case .subquery(let collection, let variable, let condition):
            return try filter(try value(of: collection), variable, condition)
        }
    }

    private mutating func filter(
        _ collection: MetadataValue, _ variable: String, _ condition: PredicateNode
    ) throws(EvaluationError) -> MetadataValue {
        let elements: [MetadataValue]
        switch collection {
        case .none: elements = []
        case .array(let values): elements = values
        default: throw EvaluationError("SUBQUERY takes a list, and this is \(collection.noun)")
        }
        var passed: [MetadataValue] = []
        for element in elements {
            variables.append((variable, element))
            defer { variables.removeLast() }
            if try evaluate(condition) { passed.append(element) }
        }
        return .array(passed)
    }
}

extension String {
    /// Lends the UTF-8 bytes.
    mutating func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        // `withUTF8` does not carry typed errors.
        let result: Swift.Result<Result, EvaluationError> = withUTF8 { bytes in
            do throws(EvaluationError) {
                return .success(try body(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
