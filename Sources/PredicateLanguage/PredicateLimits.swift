// How much one predicate may ask for.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a predicate. Past one, the predicate is refused or its evaluation fails, with an error that says
/// which.
package enum PredicateLimits {
    /// How deep parentheses, braces, NOT, arithmetic, calls and key paths may nest, all together.
    package static let nesting = 256
    /// How many operators, values and keys a predicate may have.
    package static let nodes = 10_000
    /// PCRE2's count of steps for one match (`pcre2_set_match_limit`): a millisecond at worst by the interpreter, a fifth of
    /// that as machine code. Going back and forth over a name of 255 bytes once for each byte takes 65,000.
    package static let regularExpressionSteps: UInt32 = 100_000
    /// Memory for the backtracking of one match, in KiB (`pcre2_set_heap_limit`). Its depth has no limit of its own: a level is
    /// a step.
    package static let regularExpressionHeap: UInt32 = 16_384
    /// The longest regular expression, in bytes.
    package static let regularExpressionLength = 65_536
    /// How long the message of an error gets, in characters: what was written is quoted in it.
    static let message = 300
    /// How deep one line of JSON may nest.
    package static let objectNesting = 256
}

extension String {
    /// The text, or its beginning where it is too long for a message.
    var shortened: String {
        utf8.count <= PredicateLimits.message ? self : String(prefix(PredicateLimits.message)) + "…"
    }
}
