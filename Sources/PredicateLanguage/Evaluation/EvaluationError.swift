// An error of evaluation for one item.
// SPDX-License-Identifier: Apache-2.0

/// The error of a valid predicate that has no answer for one item: an operator does not fit the values, or a limit is
/// reached.
package struct EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence without a full stop.
    package let message: String
    /// The failed part of the predicate, in bytes from its start; nil where only a value failed.
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
