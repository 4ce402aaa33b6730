// Formats a log message and its metadata as one line of text.
// SPDX-License-Identifier: Apache-2.0

import Logging

/// Formats `message key=value …` without the fields whose value the message has already. Keys are sorted. A key with a
/// list occurs once for each element. A value with blanks or quotes is quoted.
///
/// Control characters are escaped, so that a file name cannot begin another line.
enum LogLine {
    /// The message that stands for those that were dropped.
    static func lost(_ count: Int) -> String {
        count == 1 ? "1 message of the log was lost" : "\(count) messages of the log were lost"
    }

    static func text(_ message: String, _ metadata: Logger.Metadata) -> String {
        var line = ""
        append(message, to: &line, escapingQuotes: false)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where key != MessageIdentifier.metadataKey {
            let values = if case .array(let elements) = value { elements } else { [value] }
            for value in values.map(\.description) where !contains(value, message) { append(key, value, to: &line) }
        }
        return line
    }

    /// Whether a message has a value as whole words: `3` is not in `13 items`.
    private static func contains(_ value: String, _ message: String) -> Bool {
        guard !value.isEmpty else { return false }
        func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
        return message.ranges(of: value).contains { range in
            let before = range.lowerBound > message.startIndex ? message[message.index(before: range.lowerBound)] : " "
            let after = range.upperBound < message.endIndex ? message[range.upperBound] : " "
            return !(isPart(before) && value.first.map(isPart) == true)
                && !(isPart(after) && value.last.map(isPart) == true)
        }
    }

    private static func append(_ key: String, _ value: String, to line: inout String) {
        line += " "
        append(key, to: &line, escapingQuotes: false)
        let isPlain = !value.isEmpty && !value.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        line += isPlain ? "=" : "=\""
        append(value, to: &line, escapingQuotes: !isPlain)
        if !isPlain { line += "\"" }
    }

    private static func append(_ text: String, to line: inout String, escapingQuotes: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\t": line += "\\t"
            case "\"" where escapingQuotes, "\\" where escapingQuotes:
                line += "\\"
                line.unicodeScalars.append(scalar)
            // C0, DEL and C1 are commands for a terminal.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                line += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Logger.Level {
    /// The priority of `syslog(3)` for this level.
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension LogEvent {
    /// Merges the metadata of the handler, of the provider and of the message, in rising precedence. An attached error
    /// has the key `error`.
    func metadata(over base: Logger.Metadata, provider: Logger.MetadataProvider?) -> Logger.Metadata {
        var merged = base
        if let provider { merged.merge(provider.get()) { $1 } }
        if let metadata { merged.merge(metadata) { $1 } }
        if let error { merged["error"] = "\(error)" }
        return merged
    }
}
