// Why bytes are not a JSON object.
// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not JSON, and where.
package struct ObjectReaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for a person, without a full stop.
    package let message: String
    /// Where, in bytes from the start of the text.
    package let position: Int

    package var description: String { "\(message) (at byte \(position))" }
}
