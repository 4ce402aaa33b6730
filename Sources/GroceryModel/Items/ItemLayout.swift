// The form of an item's file, which changes of its contents keep.
// SPDX-License-Identifier: Apache-2.0

/// The form of an item's file: its lines as they are, and their ends. It says nothing of the item, so all are equal.
struct ItemLayout: Sendable, Hashable {
    /// Whether the file begins with the byte order mark of UTF-8.
    var hasByteOrderMark = false
    /// Whether most lines end with CR LF, as on Windows.
    var areCRLF = false
    /// Whether the last line has no line end.
    var isOpen = false
    /// The lines without their ends; nil for contents that no file has.
    var lines: [String]?

    static func == (one: ItemLayout, other: ItemLayout) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
