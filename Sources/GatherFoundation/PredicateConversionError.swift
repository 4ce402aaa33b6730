// The error for a Foundation predicate that the language cannot express.
// SPDX-License-Identifier: Apache-2.0

/// A part of a `#Predicate` that the language of Gather cannot express.
///
/// It has the form of `GatherError`: ``code`` is for the program, ``message`` for its user.
public struct PredicateConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Codes may be added; treat an unknown one as a general failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A kind of expression.
        public static let expression = Code(rawValue: "expression")
        /// A key path that is neither an attribute nor a property that the language has.
        public static let keyPath = Code(rawValue: "keyPath")
        /// A captured value that has no literal.
        public static let value = Code(rawValue: "value")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence for a person, without a full stop.
    public let message: String
    /// The name of the expression's type in Foundation's `PredicateExpressions`, the key path, or the type of the value.
    public let subject: String

    /// Makes an error from its parts.
    public init(code: Code, message: String, subject: String) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// The message.
    public var description: String { message }

    static func expression(_ name: String, advice: String) -> PredicateConversionError {
        PredicateConversionError(
            code: .expression,
            message: "'\(name)' cannot be said in a predicate of Gather" + (advice.isEmpty ? "" : "; \(advice)"),
            subject: name)
    }

    static func keyPath(_ path: String) -> PredicateConversionError {
        PredicateConversionError(
            code: .keyPath, message: "'\(path)' is no attribute that a predicate of Gather can name", subject: path)
    }

    static func value(type: String, reason: String) -> PredicateConversionError {
        PredicateConversionError(
            code: .value, message: "a value of type '\(type)' cannot be written in a predicate of Gather: \(reason)",
            subject: type)
    }
}
