// A log message and its metadata as one line of text, the same in the journal and on standard error.
// SPDX-License-Identifier: Apache-2.0

import Logging

/// Writes `message key=value …`. Keys are sorted, and one with a list comes once for each element; a value with blanks or
/// quotes is quoted; control characters are escaped, because file names come from outside and must not be able to begin
/// a line of their own.
enum LogLine {
    static func text(_ message: String, _ metadata: Logger.Metadata) -> String {
        var line = ""
        append(message, to: &line, escapingQuotes: false)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where key != MessageIdentifier.metadataKey {
            if case .array(let elements) = value {
                for element in elements { append(key, element.description, to: &line) }
            } else {
                append(key, value.description, to: &line)
            }
        }
        return line
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
            // C0, DEL and C1: a terminal takes all of them for commands.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                line += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Logger.Level {
    /// The priority of `syslog(3)` that stands for this level.
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
    /// The metadata of a message: the handler's, over it what the provider says, over it the message's own, and the
    /// error that it was given, as `error`.
    func metadata(over base: Logger.Metadata, provider: Logger.MetadataProvider?) -> Logger.Metadata {
        var merged = base
        if let provider { merged.merge(provider.get()) { $1 } }
        if let metadata { merged.merge(metadata) { $1 } }
        if let error { merged["error"] = "\(error)" }
        return merged
    }
}
