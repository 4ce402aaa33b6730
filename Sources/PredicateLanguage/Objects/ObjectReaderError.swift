// An error in JSON text.
// SPDX-License-Identifier: Apache-2.0

/// The reason for which bytes are not JSON, and the place.
package struct ObjectReaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence without a full stop.
    package let message: String
    /// The place in bytes from the start of the text.
    package let position: Int

    package var description: String { "\(message) (at byte \(position))" }
}
