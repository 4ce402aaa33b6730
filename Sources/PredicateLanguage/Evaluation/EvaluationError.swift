// Why a predicate has no answer for one item.
// SPDX-License-Identifier: Apache-2.0

/// Why a predicate has no answer for one item: the predicate is well formed, but its operators do not fit the values.
package struct EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for a person, without a full stop.
    package let message: String
    /// The part of the predicate that failed, in bytes from its start; nil where only a value failed.
    package let position: Int?

    package init(_ message: String, at position: Int? = nil) {
        self.message = message.shortened
        self.position = position
    }

    package var description: String {
        guard let position else { return message }
        return "\(message) (at byte \(position))"
    }
}
