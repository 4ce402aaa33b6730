// Values of fields in files of other programs.
// SPDX-License-Identifier: Apache-2.0

/// A value of a field in a file of another program.
enum ForeignValue: Sendable, Hashable {
    /// A text, or a number as it is written.
    case text(String)
    case bool(Bool)
    case list([String])
    /// A value that no field of an item has.
    case other

    /// Whether it has nothing.
    var isEmpty: Bool {
        switch self {
        case .text(let text): ItemText.trimmed(text).isEmpty
        case .list(let texts): texts.isEmpty
        case .bool, .other: false
        }
    }

    /// The value as yes or no; nil if it is neither. A day is yes: it tells when something was done.
    var isTrue: Bool? {
        switch self {
        case .bool(let value): return value
        case .text(let text):
            let word = ItemText.trimmed(text).lowercased()
            if ForeignValue.yes.contains(word) || TodoDetail.isDate(String(Substring(word.utf8.prefix(10)))) {
                return true
            }
            return ForeignValue.no.contains(word) ? false : nil
        case .list, .other: return nil
        }
    }

    private static let yes: Set<String> = [
        "yes", "y", "true", "t", "1", "x", "on", "✓", "✔", "☑", "done", "bought", "checked", "complete", "completed",
        "purchased",
    ]
    private static let no: Set<String> = [
        "", "no", "n", "false", "f", "0", "-", "off", "☐", "open", "todo", "needed", "active", "null",
    ]
}
