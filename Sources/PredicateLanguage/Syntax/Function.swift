// The predefined functions.
// SPDX-License-Identifier: Apache-2.0

/// A predefined function (NSExpression.h lists them). The raw value is its name in a predicate.
package enum Function: String, Sendable, Hashable, CaseIterable {
    case sum, count, min, max, average, median, mode
    case standardDeviation = "stddev"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case squareRoot = "sqrt"
    case log10 = "log"
    case naturalLogarithm = "ln"
    case exponential = "exp"
    case floor, ceiling, abs, trunc
    case uppercase, lowercase, length
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement
    case noIndex = "noindex"

    /// The functions that the platform has and this language does not, with the reason.
    static let unsupported = [
        "random": "an answer that changes by chance cannot be kept",
        "randomn": "an answer that changes by chance cannot be kept",
        "distanceToLocation:fromLocation:": "there are no locations here",
    ]

    /// The number of arguments.
    package var arity: Int { rawValue.contains(":") ? 2 : 1 }
}
