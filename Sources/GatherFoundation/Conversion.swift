// Converts a Foundation predicate to the language.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GatherKit

/// An expression of Foundation's predicates that the language may be able to express.
protocol GatherConvertible {
    func term(in conversion: inout Conversion) throws(PredicateConversionError) -> Term
}

/// The state of a conversion: the terms of the predicate's variables.
struct Conversion {
    private var variables: [PredicateExpressions.VariableID: Term] = [:]
    private var elements = 0

    /// Returns the text of a predicate.
    static func text(of predicate: Predicate<MetadataItem>) throws(PredicateConversionError) -> String {
        var conversion = Conversion()
        conversion.bind(predicate.variable, to: .item)
        return try conversion.truth(predicate.expression).holds.text
    }

    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to term: Term) {
        variables[variable.key] = term
    }

    func term(of variable: PredicateExpressions.VariableID) -> Term? { variables[variable] }

    /// Returns a new variable for the elements of a list.
    mutating func element() -> Value {
        elements += 1
        var element = Value("$e\(elements)", .text)
        element.isElement = true
        return element
    }

    // MARK: Parts

    mutating func term<Node: PredicateExpression>(_ node: Node) throws(PredicateConversionError) -> Term {
        guard let convertible = node as? any GatherConvertible else { throw Conversion.refusal(of: node) }
        return try convertible.term(in: &self)
    }

    mutating func value<Node: PredicateExpression>(_ node: Node) throws(PredicateConversionError) -> Value {
        guard case .value(let value) = try term(node) else { throw Conversion.refusal(of: node) }
        return value
    }

    mutating func truth<Node: PredicateExpression>(_ node: Node) throws(PredicateConversionError) -> Truth {
        guard case .truth(let truth) = try term(node) else { throw Conversion.refusal(of: node) }
        return truth
    }

    /// Returns a condition that is never nil.
    mutating func condition<Node: PredicateExpression>(
        _ node: Node
    ) throws(PredicateConversionError) -> Condition {
        try truth(node).holds
    }

    static func refusal<Node>(of node: Node) -> PredicateConversionError {
        let name = String("\(Node.self)".prefix { $0 != "<" })
        let advice =
            switch name {
            case "StringContainsRegex": "write the predicate as text, with MATCHES"
            case "TypeCheck", "ConditionalCast", "ForceCast": "every attribute has one type"
            default: ""
            }
        return .expression(name, advice: advice)
    }
}
