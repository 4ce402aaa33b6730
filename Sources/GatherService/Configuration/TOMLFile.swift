// Reads the keys of one configuration file strictly.
// SPDX-License-Identifier: Apache-2.0

/// A TOML file whose keys are read one by one. A key that no code reads is an error.
struct TOMLFile {
    let path: String
    private let entries: [String: TOMLDocument.Entry]
    private var taken: Set<String> = []

    /// Parses the text of a file.
    init(path: String, text: String) throws(ConfigurationError) {
        let document = try TOMLFile.parse(path: path, text: text)
        if let (name, table) = document.tables.min(by: { $0.value.line < $1.value.line }) {
            throw ConfigurationError(file: path, line: table.line, message: "unknown table '\(name)'")
        }
        self.init(path: path, table: document.root)
    }

    /// Reads one table of a file.
    init(path: String, table: TOMLDocument.Table) {
        self.path = path
        entries = table.entries
    }

    static func parse(path: String, text: String) throws(ConfigurationError) -> TOMLDocument {
        do {
            return try TOMLDocument(parsing: text)
        } catch {
            throw ConfigurationError(file: path, line: error.line, message: error.message)
        }
    }

    mutating func string(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = take(key) else { return nil }
        guard case .string(let string) = value else { throw wrong(key, "a string in quotes") }
        return string
    }

    mutating func number(_ key: String) throws(ConfigurationError) -> Double? {
        guard let value = take(key) else { return nil }
        switch value {
        case .number(let number): return number
        case .integer(let integer): return Double(integer)
        default: throw wrong(key, "a number")
        }
    }

    mutating func strings(_ key: String) throws(ConfigurationError) -> [String]? {
        guard let value = take(key) else { return nil }
        guard case .array(let array) = value else { throw wrong(key, "a list of strings") }
        var strings: [String] = []
        for element in array {
            guard case .string(let string) = element else { throw wrong(key, "a list of strings") }
            strings.append(string)
        }
        return strings
    }

    /// Reads a length of time such as `"30s"`, in nanoseconds. With `orOff`, `"0"` is 0.
    mutating func duration(_ key: String, orOff: Bool = false) throws(ConfigurationError) -> UInt64? {
        guard let text = try string(key) else { return nil }
        if orOff, text == "0" { return 0 }
        guard let duration = TOMLFile.nanoseconds(text) else {
            let off = orOff ? ", or \"0\" for never" : ""
            throw wrong(key, "a duration such as \"500ms\", \"30s\", \"10min\", \"2h\" or \"1d\"\(off)")
        }
        return duration
    }

    /// Throws for keys that were not read.
    func finish() throws(ConfigurationError) {
        let known = taken.sorted().joined(separator: ", ")
        if let (key, entry) = entries.filter({ !taken.contains($0.key) }).min(by: { $0.value.line < $1.value.line }) {
            throw ConfigurationError(
                file: path, line: entry.line, message: "unknown key '\(key)'; the known keys are \(known)")
        }
    }

    /// Returns an error about the value of a key.
    func wrong(_ key: String, _ wanted: String) -> ConfigurationError {
        ConfigurationError(file: path, line: line(of: key), message: "'\(key)' must be \(wanted)")
    }

    /// Returns the line of a key; 0 if the key is missing.
    func line(of key: String) -> Int { entries[key]?.line ?? 0 }

    private mutating func take(_ key: String) -> TOMLValue? {
        taken.insert(key)
        return entries[key]?.value
    }

    static func nanoseconds(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [
            ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000), ("h", 3_600_000_000_000),
            ("d", 86_400_000_000_000),
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
