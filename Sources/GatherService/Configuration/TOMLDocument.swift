// The subset of TOML for configuration files, with the line of each key.
// SPDX-License-Identifier: Apache-2.0

/// The value of a key.
enum TOMLValue: Equatable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case array([TOMLValue])
}

/// An error for text that is not TOML, or not in the supported subset.
struct TOMLError: Error, Equatable {
    var line: Int
    var message: String
}

/// A TOML file (toml.io, version 1.0) with keys, tables, strings on one line, integers, floats, Booleans and arrays.
///
/// Other parts of TOML are refused, since no key needs them: dotted keys, nested and inline tables, dates, numbers in
/// other bases, and strings over several lines.
///
/// A library for all of TOML, such as TOMLKit, would link full Foundation into the daemon, and has no line numbers.
struct TOMLDocument {
    /// The value of a key, and its line.
    struct Entry: Equatable {
        var value: TOMLValue
        var line: Int
    }

    struct Table: Equatable {
        var line: Int
        var entries: [String: Entry] = [:]
    }

    /// The keys before the first `[table]`.
    private(set) var root = Table(line: 1)
    private(set) var tables: [String: Table] = [:]

    init(parsing text: String) throws(TOMLError) {
        var reader = TOMLReader(text)
        var current: String?
        while try reader.skipToStatement() {
            if let name = try reader.tableHeader() {
                if tables[name] != nil { throw reader.error("table '\(name)' occurs twice") }
                tables[name] = Table(line: reader.line)
                current = name
            } else {
                let line = reader.line
                let (key, value) = try reader.keyAndValue()
                let table = current.flatMap { tables[$0] } ?? root
                if table.entries[key] != nil { throw TOMLError(line: line, message: "'\(key)' occurs twice") }
                if let current {
                    tables[current]?.entries[key] = Entry(value: value, line: line)
                } else {
                    root.entries[key] = Entry(value: value, line: line)
                }
            }
            try reader.endOfStatement()
        }
    }

    /// Returns text as a TOML string, quoted and escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\0"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
