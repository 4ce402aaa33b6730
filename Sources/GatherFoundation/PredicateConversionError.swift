// Why a predicate of Foundation cannot be said in the language.
// SPDX-License-Identifier: Apache-2.0

/// What the language of Gather has no words for, in a predicate that was made with `#Predicate`.
public enum PredicateConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of expression, by the name of its type in Foundation's `PredicateExpressions`, and what to write instead.
    case expression(String, advice: String)
    /// A key path that is no attribute and nothing that the language knows of a value.
    case keyPath(String)
    /// A value that was captured, by its type, and why it cannot be written.
    case value(type: String, reason: String)

    /// For a person.
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
