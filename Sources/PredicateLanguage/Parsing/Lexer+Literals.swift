// Strings with their escapes, and numbers.
// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    // MARK: Strings

    /// Reads a string; the position is at its opening quote.
    mutating func string(quote: UInt8) throws(PredicateError) -> String {
        let start = position
        var text: [UInt8] = []
        advance(1)
        while true {
            guard position < bytes.count else {
                throw PredicateError(
                    "the text that begins here has no closing \(quote == 0x27 ? "'" : "\"")", at: start)
            }
            let byte = bytes[position]
            if byte == quote {
                advance(1)
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                // At the end of the text the error is about the missing quote.
                if position + 1 == bytes.count {
                    advance(1)
                } else {
                    text.append(contentsOf: String(Character(try escape())).utf8)
                }
            } else {
                text.append(byte)
                advance(1)
            }
        }
    }

    /// Reads an escape; the position is at its backslash.
    private mutating func escape() throws(PredicateError) -> Unicode.Scalar {
        let start = position
        let letter = bytes[start + 1]
        switch Unicode.Scalar(letter) {
        case "\\", "'", "\"": return takeScalar(UInt32(letter), start + 2)
        case "n": return takeScalar(0x0A, start + 2)
        case "t": return takeScalar(0x09, start + 2)
        case "r": return takeScalar(0x0D, start + 2)
        case "x", "X":
            guard let value = digits(at: start + 2, count: 2, radix: 16) else {
                throw PredicateError("\\x takes two hexadecimal digits, as in \\x41", at: start)
            }
            return takeScalar(value, start + 4)
        case "u", "U":
            guard let value = digits(at: start + 2, count: 4, radix: 16) else {
                throw PredicateError("\\u takes four hexadecimal digits, as in \\u00e9", at: start)
            }
            guard (0xD800..<0xE000).contains(value) else { return takeScalar(value, start + 6) }
            // UTF-16, as on the platform: a character beyond U+FFFF is a pair.
            guard value < 0xDC00, start + 7 < bytes.count, bytes[start + 6] == UInt8(ascii: "\\"),
                bytes[start + 7] | 0x20 == UInt8(ascii: "u"),
                let low = digits(at: start + 8, count: 4, radix: 16), (0xDC00..<0xE000).contains(low)
            else { throw PredicateError("half of a surrogate pair is no character", at: start) }
            return takeScalar(0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00), start + 12)
        case "0"..."7":
            guard let value = digits(at: start + 1, count: 3, radix: 8) else {
                throw PredicateError("a backslash and digits are three octal digits, as in \\101", at: start)
            }
            return takeScalar(value, start + 4)
        default:
            let shown = letter < 0x80 && letter >= 0x20 ? "'\\\(Unicode.Scalar(letter))'" : "a backslash here"
            throw PredicateError("\(shown) is no escape; a backslash itself is written '\\\\'", at: start)
        }
    }

    private mutating func takeScalar(_ value: UInt32, _ end: Int) -> Unicode.Scalar {
        advance(end - position)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private func digits(at start: Int, count: Int, radix: UInt32) -> UInt32? {
        guard start + count <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[start..<start + count] {
            guard let digit = byte.hexDigit, digit < radix else { return nil }
            value = value * radix + UInt32(digit)
        }
        return value
    }

    // MARK: Numbers

    private static let radixes: [UInt8: UInt64] = [
        UInt8(ascii: "x"): 16, UInt8(ascii: "o"): 8, UInt8(ascii: "b"): 2,
    ]

    /// Reads a number, or a size with its unit; the position is at its first digit.
    mutating func number() throws(PredicateError) -> Token.Kind {
        let start = position
        if bytes[start] == UInt8(ascii: "0"), start + 1 < bytes.count,
            let radix = Lexer.radixes[bytes[start + 1].asciiLowercased],
            start + 2 < bytes.count, let digit = bytes[start + 2].hexDigit, digit < radix
        {
            advance(2)
            return try radixNumber(radix, start: start)
        }
        skipDigits()
        var isInteger = true
        if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "."), bytes[position + 1].isDigit {
            isInteger = false
            advance(1)
            skipDigits()
        }
        if let exponent = exponentLength() {
            isInteger = false
            advance(exponent)
            skipDigits()
        }
        let written = text(start, position)
        if position < bytes.count, bytes[position].isNamePart || bytes[position] == UInt8(ascii: ".") {
            return try size(of: written, start: start)
        }
        if isInteger {
            if let value = Int64(written) { return .integer(value) }
            if let value = UInt64(written) { return .unsigned(value) }
        }
        return try finite(Double(written), start: start)
    }

    private mutating func skipDigits() {
        while position < bytes.count, bytes[position].isDigit { advance(1) }
    }

    /// The length of `e` and a sign, where digits follow.
    private func exponentLength() -> Int? {
        guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return nil }
        var end = position + 1
        if end < bytes.count, bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-") { end += 1 }
        return end < bytes.count && bytes[end].isDigit ? end - position : nil
    }

    private mutating func radixNumber(_ radix: UInt64, start: Int) throws(PredicateError) -> Token.Kind {
        var exact: UInt64? = 0
        var rounded = 0.0
        while position < bytes.count, let digit = bytes[position].hexDigit, digit < radix {
            if let value = exact {
                let (product, overflow) = value.multipliedReportingOverflow(by: radix)
                let (sum, overflow2) = product.addingReportingOverflow(UInt64(digit))
                exact = overflow || overflow2 ? nil : sum
            }
            rounded = rounded * Double(radix) + Double(digit)
            advance(1)
        }
        if position < bytes.count, bytes[position].isNamePart || bytes[position] == UInt8(ascii: ".") {
            throw badNumber(start: start)
        }
        if let exact {
            return Int64(exactly: exact).map { .integer($0) } ?? .unsigned(exact)
        }
        return try finite(rounded, start: start)
    }

    private func finite(_ value: Double?, start: Int) throws(PredicateError) -> Token.Kind {
        guard let value, value.isFinite else { throw PredicateError("this number is too large", at: start) }
        return .number(value)
    }

    private func badNumber(start: Int) -> PredicateError {
        var end = position
        while end < bytes.count, bytes[end].isNamePart || bytes[end] == UInt8(ascii: ".") { end += 1 }
        let written = text(start, min(end, start + 40))
        if RelativeTime.seconds("-" + written) != nil {
            return PredicateError("a span of time stands in quotes: '-\(written)' is \(written) ago", at: start)
        }
        return PredicateError("'\(written)' is neither a number nor a key", at: start)
    }

    private static let units: [(name: String, bytes: Double)] = [
        ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15), ("EB", 1e18),
        ("KIB", 0x1p10), ("MIB", 0x1p20), ("GIB", 0x1p30), ("TIB", 0x1p40), ("PIB", 0x1p50), ("EIB", 0x1p60), ("B", 1),
        // As fd(1) reads them: K is 1000 and Ki is 1024.
        ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18),
        ("KI", 0x1p10), ("MI", 0x1p20), ("GI", 0x1p30), ("TI", 0x1p40), ("PI", 0x1p50), ("EI", 0x1p60),
    ]

    static func isUnit(_ word: String) -> Bool { units.contains { $0.name == word.uppercased() } }

    /// Reads the unit after a number: `10KB`, `1.5GiB`, in any case.
    private mutating func size(of number: String, start: Int) throws(PredicateError) -> Token.Kind {
        var end = position
        while end < bytes.count, bytes[end].isNamePart { end += 1 }
        let unit = text(position, end).uppercased()
        guard let factor = Lexer.units.first(where: { $0.name == unit })?.bytes, let count = Double(number),
            !(end < bytes.count && bytes[end] == UInt8(ascii: "."))
        else { throw badNumber(start: start) }
        advance(end - position)
        // Whole numbers of units stay exact; fractions are rounded to the nearest byte.
        if let whole = Int64(number), let scale = Int64(exactly: factor) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: scale)
            if !overflow { return .size(product) }
        } else if let size = Int64(exactly: (count * factor).rounded()) {
            return .size(size)
        }
        throw PredicateError("this size is too large", at: start)
    }
}
