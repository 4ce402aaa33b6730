// The error for an invalid container.
// SPDX-License-Identifier: Apache-2.0

/// A container with an invalid description.
package struct InvalidContainer: Error, Equatable {
    package var identifier: String
    /// The fault, in words.
    package var message: String

    package init(identifier: String, message: String) {
        self.identifier = identifier
        self.message = message
    }
}
