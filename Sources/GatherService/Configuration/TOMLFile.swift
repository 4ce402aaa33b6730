// One configuration file read strictly: unknown keys and wrong types are errors with file, line and key.
// SPDX-License-Identifier: Apache-2.0

import TOMLKit

/// A TOML file whose keys are taken one by one; what nobody took is unknown, and an error.
struct TOMLFile {
    let path: String
    private let lines: [Substring]
    private let table: TOMLTable
    private var taken: Set<String> = []

    /// Parses the text of a file.
    init(path: String, text: String) throws(ConfigurationError) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(file: path, line: error.source.begin.line, message: error.description)
        } catch {
            throw ConfigurationError(file: path, message: "cannot be read as TOML: \(error)")
        }
    }

    mutating func string(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = take(key) else { return nil }
        guard let string = value.string else { throw wrong(key, "a string in quotes") }
        return string
    }

    mutating func number(_ key: String) throws(ConfigurationError) -> Double? {
        guard let value = take(key) else { return nil }
        if let double = value.double { return double }
        if let integer = value.int { return Double(integer) }
        throw wrong(key, "a number")
    }

    mutating func strings(_ key: String) throws(ConfigurationError) -> [String]? {
        guard let value = take(key) else { return nil }
        guard let array = value.array else { throw wrong(key, "a list of strings") }
        var strings: [String] = []
        for element in array {
            guard let string = element.string else { throw wrong(key, "a list of strings") }
            strings.append(string)
        }
        return strings
    }

    /// A length of time such as `"30s"`, in nanoseconds.
    mutating func duration(_ key: String) throws(ConfigurationError) -> UInt64? {
        guard let text = try string(key) else { return nil }
        guard let duration = TOMLFile.nanoseconds(text) else {
            throw wrong(key, "a length of time such as \"500ms\", \"30s\", \"10min\" or \"2h\"")
        }
        return duration
    }

    /// Refuses keys that were not taken.
    func finish() throws(ConfigurationError) {
        let known = taken.sorted().joined(separator: ", ")
        for key in table.keys where !taken.contains(key) {
            throw ConfigurationError(
                file: path, line: line(of: key), message: "unknown key '\(key)' (known are \(known))")
        }
    }

    /// An error about the value of a key.
    func wrong(_ key: String, _ wanted: String) -> ConfigurationError {
        ConfigurationError(file: path, line: line(of: key), message: "'\(key)' must be \(wanted)")
    }

    /// Where a key stands: TOMLKit keeps no positions of values, so the line is looked for.
    func line(of key: String) -> Int {
        let index = lines.firstIndex { line in
            let text = line.drop { $0 == " " || $0 == "\t" || $0 == "[" || $0 == "\"" || $0 == "'" }
            guard text.hasPrefix(key) else { return false }
            guard let next = text.dropFirst(key.count).first else { return true }
            return !(next.isLetter || next.isNumber || next == "-" || next == "_")
        }
        return (index ?? -1) + 1
    }

    private mutating func take(_ key: String) -> TOMLValue? {
        taken.insert(key)
        return table[key]?.tomlValue
    }

    static func nanoseconds(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [
            ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000), ("h", 3_600_000_000_000),
        ]
        for (suffix, unit) in units where text.hasSuffix(suffix) {
            let digits = text.dropLast(suffix.count)
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = UInt64(digits) else {
                continue
            }
            let (product, overflow) = count.multipliedReportingOverflow(by: unit)
            return overflow || product == 0 || product > UInt64(Int64.max) ? nil : product
        }
        return nil
    }
}
