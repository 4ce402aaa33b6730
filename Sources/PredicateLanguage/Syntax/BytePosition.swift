// Where a part of a syntax tree stands in its text.
// SPDX-License-Identifier: Apache-2.0

/// Where a part of a syntax tree stands in the text, in bytes from its start. All positions are equal to each other, so
/// that two trees are equal when they say the same.
package struct BytePosition: Sendable, Hashable {
    package let offset: Int

    package init(_ offset: Int) { self.offset = offset }

    package static func == (a: BytePosition, b: BytePosition) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
