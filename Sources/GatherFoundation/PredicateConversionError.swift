// The error for a Foundation predicate that the language cannot express.
// SPDX-License-Identifier: Apache-2.0

/// A part of a `#Predicate` that the language of Gather cannot express.
public enum PredicateConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of expression, by the name of its type in Foundation's `PredicateExpressions`, with an alternative.
    case expression(String, advice: String)
    /// A key path that is neither an attribute nor a property that the language has.
    case keyPath(String)
    /// A captured value that has no literal, by its type, with the reason.
    case value(type: String, reason: String)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .expression(let name, let advice):
            "'\(name)' cannot be said in a predicate of Gather" + (advice.isEmpty ? "" : "; \(advice)")
        case .keyPath(let path): "'\(path)' is no attribute that a predicate of Gather can name"
        case .value(let type, let reason):
            "a value of type '\(type)' cannot be written in a predicate of Gather: \(reason)"
        }
    }
}
