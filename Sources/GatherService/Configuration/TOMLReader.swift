// Reads the statements of a TOML text from its bytes.
// SPDX-License-Identifier: Apache-2.0

/// A position in a TOML text. Each method that reads something moves behind it.
struct TOMLReader {
    /// The limit of nested arrays, since the reader is recursive.
    static let maximumDepth = 16

    private let bytes: [UInt8]
    private var index = 0
    private(set) var line = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
        // Editors on Windows begin a file with a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    func error(_ message: String) -> TOMLError { TOMLError(line: line, message: message) }

    /// Moves to the next key or table. Returns false at the end of the text.
    mutating func skipToStatement() throws(TOMLError) -> Bool {
        try skipBlanksAndLines()
        return index < bytes.count
    }

    /// Reads the name of a table if there is a `[`; nil otherwise.
    mutating func tableHeader() throws(TOMLError) -> String? {
        guard take("[") else { return nil }
        if peek() == UInt8(ascii: "[") { throw error("arrays of tables are not supported here") }
        let name = try key()
        guard take("]") else { throw error("']' is missing after '\(name)'") }
        return name
    }

    /// Reads `key = value`.
    mutating func keyAndValue() throws(TOMLError) -> (String, TOMLValue) {
        let name = try key()
        guard take("=") else { throw error("'=' is missing after '\(name)'") }
        skipBlanks()
        return (name, try value(of: name, depth: 0))
    }

    /// Moves to the end of the line. Throws for anything but a comment.
    mutating func endOfStatement() throws(TOMLError) {
        skipBlanks()
        guard let byte = peek() else { return }
        guard byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
            throw error("the line continues after its value")
        }
        try skipBlanksAndLines()
    }

    // MARK: Parts

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { index += 1 }
    }

    private mutating func skipBlanksAndLines() throws(TOMLError) {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
            case UInt8(ascii: "\n"):
                index += 1
                line += 1
            case UInt8(ascii: "\r"):
                index += 1
                if peek() != UInt8(ascii: "\n") { throw error("a carriage return without a line feed") }
            case UInt8(ascii: "#"):
                // A carriage return ends the comment, too. The check for a line feed after it is above.
                while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                    if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F {
                        throw error("a control character in a comment")
                    }
                    index += 1
                }
            default: return
            }
        }
    }

    private mutating func key() throws(TOMLError) -> String {
        skipBlanks()
        let name: String
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") {
            name = try string()
        } else {
            let start = index
            while let byte = peek(), TOMLReader.isBare(byte) { index += 1 }
            guard index > start else { throw error("a key is missing") }
            name = String(decoding: bytes[start..<index], as: UTF8.self)
        }
        skipBlanks()
        if peek() == UInt8(ascii: ".") { throw error("dotted keys are not supported here: put '\(name)…' in quotes") }
        return name
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func value(of key: String, depth: Int) throws(TOMLError) -> TOMLValue {
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "["): return .array(try array(of: key, depth: depth))
        case UInt8(ascii: "{"): throw error("inline tables are not supported here ('\(key)')")
        default:
            let start = index
            while let byte = peek(), TOMLReader.isBare(byte) || [UInt8(ascii: "."), UInt8(ascii: "+")].contains(byte) {
                index += 1
            }
            let word = String(decoding: bytes[start..<index], as: UTF8.self)
            guard !word.isEmpty else { throw error("'\(key)' has no value") }
            guard let value = TOMLReader.plain(word) else {
                throw error("'\(key)' is neither a string in quotes nor a number, true or false: \(word)")
            }
            return value
        }
    }

    private mutating func array(of key: String, depth: Int) throws(TOMLError) -> [TOMLValue] {
        guard depth < TOMLReader.maximumDepth else { throw error("'\(key)' nests too deep") }
        index += 1
        var values: [TOMLValue] = []
        while true {
            try skipBlanksAndLines()
            if take("]") { return values }
            values.append(try value(of: key, depth: depth + 1))
            try skipBlanksAndLines()
            if take("]") { return values }
            guard take(",") else { throw error("',' or ']' is missing in '\(key)'") }
        }
    }

    private mutating func string() throws(TOMLError) -> String {
        let quote = bytes[index]
        index += 1
        if peek() == quote, index + 1 < bytes.count, bytes[index + 1] == quote {
            throw error("strings over several lines are not supported here")
        }
        var text: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "\n") {
            index += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F {
                throw error("a control character in a string")
            }
            if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
                text += try escape().utf8
            } else {
                text.append(byte)
            }
        }
        throw error("a string does not end")
    }

    private mutating func escape() throws(TOMLError) -> String {
        guard let byte = peek() else { throw error("a string does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let end = index + (byte == UInt8(ascii: "u") ? 4 : 8)
            guard end <= bytes.count else { throw error("a string does not end") }
            let digits = String(decoding: bytes[index..<end], as: UTF8.self)
            guard digits.allSatisfy(\.isHexDigit), let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
            else { throw error("\\\(byte == UInt8(ascii: "u") ? "u" : "U")\(digits) is no character") }
            index = end
            return String(Character(scalar))
        default: throw error("a backslash in a string is followed by one of b t n f r u U \" \\")
        }
    }

    /// Returns `true`, `false`, a decimal integer or a float; nil for anything else.
    private static func plain(_ word: String) -> TOMLValue? {
        if word == "true" || word == "false" { return .boolean(word == "true") }
        var digits = Array(word.utf8)
        // An underscore must be between two digits.
        func isDigit(_ index: Int) -> Bool {
            digits.indices.contains(index) && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[index])
        }
        for (index, byte) in digits.enumerated() where byte == UInt8(ascii: "_") {
            guard isDigit(index - 1), isDigit(index + 1) else { return nil }
        }
        digits.removeAll { $0 == UInt8(ascii: "_") }
        let text = String(decoding: digits, as: UTF8.self)
        // No leading zero before another digit, and digits on both sides of a point.
        guard let match = text.wholeMatch(of: /[+-]?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/) else {
            return nil
        }
        if match.1.isEmpty { return Int64(text).map(TOMLValue.integer) }
        return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }
}
