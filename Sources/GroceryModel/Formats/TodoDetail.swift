// Priorities, dates and repetitions of todo.txt, which are lines of an item.
// SPDX-License-Identifier: Apache-2.0

/// A priority, a date or a repetition of todo.txt. An item keeps it as a line with a key that Grocery does not use, such as
/// `due: 2026-11-09`.
struct TodoDetail: Sendable, Hashable {
    enum Key: String, CaseIterable {
        case priority, completed, created, due
        /// The first day on which a task is shown.
        case threshold = "t"
        case recurrence = "rec"
    }

    let key: Key
    let value: String

    /// Makes one; nil if the value is none for the key.
    init?(_ key: Key, _ value: String) {
        let isValid =
            switch key {
            case .priority: value.utf8.count == 1 && value.utf8.allSatisfy(TodoDetail.capitals.contains)
            case .completed, .created, .due, .threshold: TodoDetail.isDate(value)
            case .recurrence: TodoDetail.isRecurrence(value)
            }
        guard isValid else { return nil }
        self.key = key
        self.value = value
    }

    /// Reads a priority at the beginning of a line, such as `(A)`.
    init?(priority word: String) {
        let bytes = word.utf8
        guard bytes.count == 3, bytes.first == UInt8(ascii: "("), bytes.last == UInt8(ascii: ")") else { return nil }
        self.init(.priority, String(Substring(bytes.dropFirst().dropLast())))
    }

    /// Reads a word such as `due:2026-11-09`. The priority of a completed task is `pri:A`, as other programs have it.
    init?(word: String) {
        self.init(word, separator: ":") { $0 == .priority ? "pri" : $0.rawValue }
    }

    /// Reads a line of an item, such as `due: 2026-11-09`.
    init?(line: String) {
        self.init(line, separator: ": ", name: \.rawValue)
    }

    private init?(_ text: String, separator: String, name: (Key) -> String) {
        for key in Key.allCases {
            let prefix = name(key) + separator
            if text.utf8.starts(with: prefix.utf8) {
                self.init(key, String(Substring(text.utf8.dropFirst(prefix.utf8.count))))
                return
            }
        }
        return nil
    }

    /// The word in todo.txt.
    var word: String { (key == .priority ? "pri" : key.rawValue) + ":" + value }
    /// The line of an item.
    var line: String { key.rawValue + ": " + value }

    private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Whether text is a day, such as `2026-11-09`.
    static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy(digits.contains) }) else {
            return false
        }
        return (1...12).contains(Int(Substring(parts[1])) ?? 0) && (1...31).contains(Int(Substring(parts[2])) ?? 0)
    }

    /// Whether text is a number of days, business days, weeks, months or years, such as `1w`, or `+1w` from the due date.
    private static func isRecurrence(_ text: String) -> Bool {
        let bytes = text.utf8.first == UInt8(ascii: "+") ? text.utf8.dropFirst() : text.utf8[...]
        guard let unit = bytes.last, "dbwmy".utf8.contains(unit) else { return false }
        return bytes.count > 1 && bytes.dropLast().allSatisfy(digits.contains)
    }
}
