// Generated trees print as text that reads back as the same tree.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import TestSupport
import Testing

/// Makes trees of the form that the parser makes: with nothing in them that it would have folded away.
private struct TreeGenerator {
    var random: SeededGenerator
    var variables: [String] = []

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func node(_ depth: Int) -> PredicateNode {
        switch depth <= 0 ? 3 : number(0...7) {
        case 0: return PredicateNode(.constant(number(0...1) == 0), at: 0)
        case 1: return PredicateNode(.and(nodes(depth)), at: 0)
        case 2: return PredicateNode(.or(nodes(depth)), at: 0)
        case 4: return PredicateNode(.not(node(depth - 1)), at: 0)
        default:
            let operation = pick(Comparison.Operator.allCases)
            let takesOptions = operation != .between && !operation.isOverTypes
            let options = takesOptions ? TextOptions(rawValue: UInt8(pick([0, 0, 1, 2, 3, 4, 8, 15]))) : []
            return PredicateNode(
                .comparison(
                    Comparison(
                        quantifier: pick([nil, nil, nil, .any, .all, Comparison.Quantifier.none]),
                        expression(depth - 1), operation, options: options, expression(depth - 1))), at: 0)
        }
    }

    private mutating func nodes(_ depth: Int) -> [PredicateNode] {
        (0..<number(2...3)).map { _ in node(depth - 1) }
    }

    private mutating func name() -> String {
        pick(["a", "b_1", "_", "size", "first", "LAST", "in", "self", "Null", "any", "like", "now", "time", "A"])
    }

    mutating func expression(_ depth: Int) -> Expression {
        if depth <= 0 { return leaf() }
        switch number(0...12) {
        case 0:
            let base = expression(depth - 1)
            if case .evaluatedObject = base.kind { return base }
            return Expression(.member(base, name()))
        case 1:
            let path = (0..<number(0...2)).map { _ in name() }
            return Expression(.aggregate(expression(depth - 1), pick(Expression.Aggregate.allCases), path: path))
        case 2: return Expression(.end(expression(depth - 1), pick(Expression.CollectionEnd.allCases)))
        case 3: return Expression(.index(expression(depth - 1), expression(depth - 1)))
        case 4: return Expression(.array((0..<number(0...3)).map { _ in expression(depth - 1) }))
        case 5:
            let operand = expression(depth - 1)
            switch operand.constant {
            case .integer(let value) where value != .min: return operand
            case .number: return operand
            default: return Expression(.negation(operand))
            }
        case 6, 7:
            return Expression(
                .arithmetic(expression(depth - 1), pick(Expression.Arithmetic.allCases), expression(depth - 1)))
        case 8:
            let function = pick(Function.allCases)
            return Expression(.function(function, (0..<function.arity).map { _ in expression(depth - 1) }))
        case 9:
            let operand = expression(depth - 1)
            let type = operand.constant == nil ? .date : pick([Expression.CastType.number, .string])
            return Expression(.cast(operand, type, .process))
        case 10: return Expression(.ternary(node(depth - 1), expression(depth - 1), expression(depth - 1)))
        case 11:
            let collection = expression(depth - 1)
            let variable = pick(["x", "y", "in"])
            variables.append(variable)
            defer { variables.removeLast() }
            return Expression(.subquery(collection, variable: variable, node(depth - 1)))
        default: return leaf()
        }
    }

    private mutating func leaf() -> Expression {
        switch number(0...9) {
        case 0: return Expression(.constant(.none))
        case 1: return Expression(.constant(.boolean(number(0...1) == 0)))
        case 2: return Expression(.constant(.integer(pick([0, 1, -1, .max, .min, 255, -42]))))
        case 3:
            return Expression(.constant(.number(pick([0.0, 1.5, -2.5e-7, 1e300, .leastNonzeroMagnitude, 0.1, -3.0]))))
        case 4, 5:
            let text = pick([
                "", "a", "it's", "\"", "\\", "\\*", "\n\t\r\u{0}\u{1F}\u{7F}", "%@ $x #a", "\u{E9}\u{1F389}",
                "e\u{301}",
                "\u{FEFF}\u{200D}",
            ])
            return Expression(.constant(.string(text)))
        case 6: return Expression(.constant(.date(Timestamp(nanoseconds: pick([0, -1, 1_769_850_000_000_000_001])))))
        case 7: return Expression(pick([.evaluatedObject, .time(TimeExpression(.now))]))
        case 8 where !variables.isEmpty: return Expression(.variable(pick(variables)))
        default: return Expression(.key(name()))
        }
    }
}

@Suite struct PrintingTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func generatedTreesReadBack(seed: UInt64) throws {
        var generator = TreeGenerator(random: SeededGenerator(seed: seed))
        for round in 0..<400 {
            let tree = generator.node(4)
            let text = tree.description
            let predicate: Predicate
            do throws(PredicateError) { predicate = try Predicate(parsing: text) } catch {
                Issue.record("seed \(seed), round \(round): \(error): \(text)")
                continue
            }
            #expect(predicate.root == tree, "seed \(seed), round \(round): \(text)")
            #expect(predicate.canonical.utf8.elementsEqual(text.utf8), "seed \(seed), round \(round): \(text)")
        }
    }
}
