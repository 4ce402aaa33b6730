// A container that cannot be.
// SPDX-License-Identifier: Apache-2.0

/// A container whose description is wrong.
package struct InvalidContainer: Error, Equatable {
    package var identifier: String
    /// What is wrong, in words.
    package var message: String

    package init(identifier: String, message: String) {
        self.identifier = identifier
        self.message = message
    }
}
