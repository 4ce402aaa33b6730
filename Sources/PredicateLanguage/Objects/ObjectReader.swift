// Reads JSON text as the values that predicates compare.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// Reads one JSON value (RFC 8259) with nothing around it but whitespace. Integers of 64 bits stay exact; other numbers
/// are floating-point. If members have the same name, the last counts.
package struct ObjectReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var nesting = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads the value from bytes. Complexity: O(n). The nesting is limited by ``PredicateLimits/objectNesting``.
    package static func value(of bytes: UnsafeRawBufferPointer) throws(ObjectReaderError) -> MetadataValue {
        var reader = ObjectReader(bytes)
        reader.skipWhitespace()
        let value = try reader.value()
        reader.skipWhitespace()
        guard reader.position == bytes.count else { throw reader.error("unexpected text after the JSON value") }
        return value
    }

    /// Reads the value from a text.
    package static func value(of text: String) throws(ObjectReaderError) -> MetadataValue {
        try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(ObjectReaderError) in
            try value(of: UnsafeRawBufferPointer(bytes))
        }
    }

    // MARK: Values

    private mutating func value() throws(ObjectReaderError) -> MetadataValue {
        guard let first = next else { throw error("the JSON ends too early") }
        switch Unicode.Scalar(first) {
        case "{": return try object()
        case "[": return try array()
        case "\"": return .string(try string())
        case "t": return try word("true", .boolean(true))
        case "f": return try word("false", .boolean(false))
        case "n": return try word("null", .none)
        case "-", "0"..."9": return try number()
        default: throw error("expected a JSON value")
        }
    }

    private mutating func object() throws(ObjectReaderError) -> MetadataValue {
        try enter()
        var members: [String: MetadataValue] = [:]
        skipWhitespace()
        if take("}") { return leave(.dictionary(members)) }
        while true {
            skipWhitespace()
            guard next == UInt8(ascii: "\"") else { throw error("expected a member's name in quotes") }
            let name = try string()
            skipWhitespace()
            guard take(":") else { throw error("expected ':' after the member's name") }
            skipWhitespace()
            members[name] = try value()
            skipWhitespace()
            if take("}") { return leave(.dictionary(members)) }
            guard take(",") else { throw error("expected ',' or '}'") }
        }
    }

    private mutating func array() throws(ObjectReaderError) -> MetadataValue {
        try enter()
        var elements: [MetadataValue] = []
        skipWhitespace()
        if take("]") { return leave(.array(elements)) }
        while true {
            skipWhitespace()
            elements.append(try value())
            skipWhitespace()
            if take("]") { return leave(.array(elements)) }
            guard take(",") else { throw error("expected ',' or ']'") }
        }
    }

    private mutating func word(_ word: StaticString, _ value: MetadataValue) throws(ObjectReaderError) -> MetadataValue
    {
        for byte in word.description.utf8 {
            guard next == byte else { throw error("expected a JSON value") }
            position += 1
        }
        return value
    }

    private mutating func number() throws(ObjectReaderError) -> MetadataValue {
        let start = position
        _ = take("-")
        guard let first = next, first.isDigit else { throw error("expected a digit") }
        position += 1
        if first != UInt8(ascii: "0") { skipDigits() }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard skipDigits() else { throw error("expected a digit after '.'") }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard skipDigits() else { throw error("expected a digit in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        if isInteger, let value = UInt64(text) { return .unsigned(value) }
        guard let value = Double(text), value.isFinite else {
            position = start
            throw error("this number is too large")
        }
        return .number(value)
    }

    // MARK: Strings

    private mutating func string() throws(ObjectReaderError) -> String {
        position += 1
        let start = position
        // Most strings have no escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        try checkUTF8(from: start)
        if take("\"") { return String(decoding: bytes[start..<(position - 1)], as: UTF8.self) }
        var text = Array(bytes[start..<position])
        while true {
            guard let byte = next else { throw error("the text in quotes does not end") }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): UTF8Scalars.append(try escape(), to: &text)
            case ..<0x20: throw error("control characters in text are written as escapes")
            default:
                let start = position
                while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                    position += 1
                }
                try checkUTF8(from: start)
                text.append(contentsOf: bytes[start..<position])
            }
        }
    }

    private mutating func checkUTF8(from start: Int) throws(ObjectReaderError) {
        guard let invalid = UTF8Scalars.firstInvalid(UnsafeRawBufferPointer(rebasing: bytes[start..<position])) else {
            return
        }
        position = start + invalid
        throw error("the text is not UTF-8 here")
    }

    private mutating func escape() throws(ObjectReaderError) -> UInt32 {
        let start = position
        position += 1
        guard let letter = next else { throw error("the text in quotes does not end") }
        position += 1
        switch Unicode.Scalar(letter) {
        case "\"", "\\", "/": return UInt32(letter)
        case "b": return 0x08
        case "f": return 0x0C
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "u":
            let unit = try hexadecimal()
            guard (0xD800..<0xE000).contains(unit) else { return unit }
            if unit < 0xDC00, take("\\"), take("u") {
                let low = try hexadecimal()
                if (0xDC00..<0xE000).contains(low) { return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) }
            }
            position = start
            throw error("half of a surrogate pair is no character")
        default:
            position = start
            throw error("unknown escape")
        }
    }

    private mutating func hexadecimal() throws(ObjectReaderError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next?.hexDigit else { throw error("expected four hexadecimal digits after \\u") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, byte.isDigit { position += 1 }
        return position > start
    }

    private mutating func enter() throws(ObjectReaderError) {
        nesting += 1
        guard nesting <= PredicateLimits.objectNesting else {
            throw error("the JSON is nested deeper than \(PredicateLimits.objectNesting) levels")
        }
        position += 1
    }

    private mutating func leave(_ value: MetadataValue) -> MetadataValue {
        nesting -= 1
        return value
    }

    private func error(_ message: String) -> ObjectReaderError {
        ObjectReaderError(message: message, position: position)
    }
}
