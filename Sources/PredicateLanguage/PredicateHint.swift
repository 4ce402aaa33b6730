// A remark on a valid predicate.
// SPDX-License-Identifier: Apache-2.0

/// A remark on a predicate that is valid and probably says something else than its author meant.
package struct PredicateHint: Sendable, Hashable, CustomStringConvertible {
    /// A sentence without a full stop: `'==' takes '*' literally`.
    package let message: String
    /// The comparison to write instead, ready to paste; nil where there is none.
    package let suggestion: String?
    /// The place of the remark, in bytes from the start of the text.
    package let position: Int

    init(_ message: String, write suggestion: String? = nil, at position: Int) {
        self.message = message.shortened
        self.suggestion = suggestion.flatMap { $0.utf8.count <= PredicateLimits.message ? $0 : nil }
        self.position = position
    }

    /// The message and the suggestion in one line.
    package var description: String { message + (suggestion.map { "; write " + $0 } ?? "") }

    /// The line of `text` that the remark is about, and below it a caret under the place.
    package func excerpt(of text: String) -> String { PredicateError(message, at: position).excerpt(of: text) }
}
