// The place of a part of a syntax tree in its text.
// SPDX-License-Identifier: Apache-2.0

/// The place of a part of a syntax tree in the text, in bytes from its start. All positions are equal, so that trees
/// that differ only in positions are equal.
package struct BytePosition: Sendable, Hashable {
    package let offset: Int

    package init(_ offset: Int) { self.offset = offset }

    package static func == (a: BytePosition, b: BytePosition) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
