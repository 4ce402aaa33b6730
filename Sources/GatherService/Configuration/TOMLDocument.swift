// The part of TOML that configuration files use, read strictly, with the line of every key.
// SPDX-License-Identifier: Apache-2.0

/// A value of a key.
enum TOMLValue: Equatable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case array([TOMLValue])
}

/// A text that is no TOML, or uses a part of it that is not read here.
struct TOMLError: Error, Equatable {
    var line: Int
    var message: String
}

/// A TOML file (toml.io, version 1.0): keys with strings on one line, integers, floats, booleans and arrays, and tables
/// of them. Dotted keys, tables in tables, inline tables, dates, other bases and strings over several lines are refused: no
/// key of ours has such a value.
///
/// A library for all of TOML would bring full Foundation into the daemon (TOMLKit does, for its dates), and knows no
/// lines of keys.
struct TOMLDocument {
    /// A key's value, and where the key stands.
    struct Entry: Equatable {
        var value: TOMLValue
        var line: Int
    }

    struct Table: Equatable {
        var line: Int
        var entries: [String: Entry] = [:]
    }

    /// What stands before the first `[table]`.
    private(set) var root = Table(line: 1)
    private(set) var tables: [String: Table] = [:]

    init(parsing text: String) throws(TOMLError) {
        var reader = TOMLReader(text)
        var current: String?
        while try reader.skipToStatement() {
            if let name = try reader.tableHeader() {
                if tables[name] != nil { throw reader.error("table '\(name)' is there twice") }
                tables[name] = Table(line: reader.line)
                current = name
            } else {
                let line = reader.line
                let (key, value) = try reader.keyAndValue()
                let table = current.flatMap { tables[$0] } ?? root
                if table.entries[key] != nil { throw TOMLError(line: line, message: "'\(key)' is there twice") }
                if let current {
                    tables[current]?.entries[key] = Entry(value: value, line: line)
                } else {
                    root.entries[key] = Entry(value: value, line: line)
                }
            }
            try reader.endOfStatement()
        }
    }

    /// A text as a TOML string: in quotes, with what must be escaped escaped.
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
