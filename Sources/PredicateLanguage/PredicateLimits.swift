// The limits of one predicate.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a predicate. Beyond one, the predicate is refused or its evaluation fails, and the error names the
/// limit.
package enum PredicateLimits {
    /// The depth of parentheses, braces, NOT, arithmetic, calls and key paths, all together.
    package static let nesting = 256
    /// The number of operators, values and keys.
    package static let nodes = 10_000
    /// PCRE2's count of steps for one match (`pcre2_set_match_limit`): at most a millisecond in the interpreter, a
    /// fifth of that as machine code. An expression that goes over a name of 255 bytes once for each byte takes 65,000.
    /// Longer names and other texts may take more, which is an error.
    package static let regularExpressionSteps: UInt32 = 100_000
    /// Memory for the backtracking of one match, in KiB (`pcre2_set_heap_limit`). Depth needs no limit of its own,
    /// since each level is a step.
    package static let regularExpressionHeap: UInt32 = 16_384
    /// The longest regular expression, in bytes.
    package static let regularExpressionLength = 65_536
    /// The most remarks on one predicate (``PredicateHint``).
    static let hints = 8
    /// The length of an error's message, which quotes the text, in characters.
    static let message = 300
    /// The nesting of one line of JSON.
    package static let objectNesting = 256
}

extension String {
    /// The text, or its beginning where it is too long for a message.
    var shortened: String {
        utf8.count <= PredicateLimits.message ? self : String(prefix(PredicateLimits.message)) + "…"
    }
}
