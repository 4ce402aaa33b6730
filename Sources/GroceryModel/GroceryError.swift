// An error that the user of a list can correct.
// SPDX-License-Identifier: Apache-2.0

/// A failed operation on a list. ``message`` is a sentence for a person, without a full stop.
package struct GroceryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    package enum Code: Sendable, Hashable {
        /// A name, quantity, tag or file that cannot be.
        case invalid
        /// There is no such item, version or change.
        case notFound
        /// Several items match.
        case ambiguous
        /// An item was changed by another program since.
        case changed
        /// The directory of the list is away, such as on a disk that is not there.
        case away
        /// An item was removed by another program since.
        case removed
        /// The log of changes cannot be read or written, so nothing can be undone.
        case undoLog
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
