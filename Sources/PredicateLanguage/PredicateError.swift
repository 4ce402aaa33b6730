// An error in a predicate's text, with its place.
// SPDX-License-Identifier: Apache-2.0

/// The reason for which a text is refused as a predicate, and the byte where.
package struct PredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence without a full stop: `expected a value after LIKE`.
    package let message: String
    /// The place in bytes from the start of the text; its length where something is missing at the end.
    package let position: Int

    package init(_ message: String, at position: Int) {
        self.message = message.shortened
        self.position = position
    }

    package var description: String { "\(message) (at byte \(position))" }

    /// The line of `text` with the error, and below it a caret under the place. A control character is shown as a
    /// blank, so that both lines keep their columns.
    package func excerpt(of text: String) -> String {
        let bytes = Array(text.utf8)
        let place = min(max(position, 0), bytes.count)
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: newline) ?? bytes.count
        let line = bytes[start..<end].map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
        let columns = String(decoding: line[..<(place - start)], as: UTF8.self).count
        return String(decoding: line, as: UTF8.self) + "\n" + String(repeating: " ", count: columns) + "^"
    }
}
