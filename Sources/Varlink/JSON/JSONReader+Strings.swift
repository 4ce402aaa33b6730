// Strings: scanned eight bytes at a time, checked for UTF-8, and unescaped only when there is something to unescape.
// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads a string.
    package mutating func readString() throws(JSONError) -> String {
        try withString { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a string and lends its UTF-8 text, without a copy where it holds no escapes. The bytes are valid inside
    /// `body` only.
    package mutating func withString<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(JSONError) -> Result {
        withText(try readText(), body)
    }

    /// Where a string lies that was read but not yet looked at.
    package struct Text: Sendable {
        var content: Range<Int>
        var hasEscapes: Bool
    }

    /// Reads a string for ``withText(_:_:)`` to look at later, if at all.
    package mutating func readText() throws(JSONError) -> Text {
        try expect(.string)
        let (content, hasEscapes) = try scanString()
        return Text(content: content, hasEscapes: hasEscapes)
    }

    /// Lends the UTF-8 text of a string that this reader has read, without a copy where it holds no escapes.
    package mutating func withText<Result>(_ text: Text, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        precondition(text.content.upperBound <= count)
        guard text.hasEscapes else {
            return body(UnsafeRawBufferPointer(start: base + text.content.lowerBound, count: text.content.count))
        }
        unescapedString.removeAll(keepingCapacity: true)
        JSONReader.unescape(base, text.content, into: &unescapedString)
        return unescapedString.withUnsafeBytes(body)
    }

    /// Checks the string that begins here, steps over it, and tells where its content lies and whether it holds escapes.
    mutating func scanString() throws(JSONError) -> (content: Range<Int>, hasEscapes: Bool) {
        let start = position + 1
        var index = start
        var hasEscapes = false
        while true {
            index = JSONText.endOfPlainASCII(base, from: index, to: count)
            guard index < count else { throw JSONError(.unexpectedEnd, at: count) }
            let byte = byte(at: index)
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                return (start..<index, hasEscapes)
            } else if byte >= 0x80 {
                let length = JSONText.lengthOfSequence(base, at: index, to: count)
                guard length > 0 else { throw JSONError(.invalidUTF8, at: index) }
                index += length
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                index = try scanEscape(at: index)
            } else {
                throw JSONError(.controlCharacter, at: index)
            }
        }
    }

    /// Checks the escape at `start` and returns where it ends; a surrogate pair counts as one escape.
    private func scanEscape(at start: Int) throws(JSONError) -> Int {
        guard start + 1 < count else { throw JSONError(.unexpectedEnd, at: count) }
        switch byte(at: start + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            let unit = try hexadecimal(at: start + 2, escape: start)
            guard unit & 0xF800 == 0xD800 else { return start + 6 }
            guard unit < 0xDC00, start + 7 < count, byte(at: start + 6) == UInt8(ascii: "\\"),
                byte(at: start + 7) == UInt8(ascii: "u"),
                try hexadecimal(at: start + 8, escape: start + 6) & 0xFC00 == 0xDC00
            else { throw JSONError(.loneSurrogate, at: start) }
            return start + 12
        default:
            throw JSONError(.invalidEscape, at: start)
        }
    }

    private func hexadecimal(at start: Int, escape: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard index < count else { throw JSONError(.unexpectedEnd, at: count) }
            guard let digit = JSONText.hexadecimalDigit(byte(at: index)) else {
                throw JSONError(.invalidEscape, at: escape)
            }
            value = value << 4 | digit
        }
        return value
    }

    /// Appends the text of a string's content that `scanString` has accepted.
    static func unescape(_ base: UnsafeRawPointer, _ range: Range<Int>, into text: inout [UInt8]) {
        var index = range.lowerBound
        func byte(at index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }
        func unit(at start: Int) -> UInt32 {
            (start..<start + 4).reduce(0) { $0 << 4 | (JSONText.hexadecimalDigit(byte(at: $1)) ?? 0) }
        }
        while index < range.upperBound {
            let byte = byte(at: index)
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                index += 1
                continue
            }
            let escaped = base.load(fromByteOffset: index + 1, as: UInt8.self)
            index += 2
            switch escaped {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = unit(at: index)
                index += 4
                if scalar & 0xF800 == 0xD800 {
                    scalar = 0x10000 + ((scalar & 0x3FF) << 10 | unit(at: index + 2) & 0x3FF)
                    index += 6
                }
                text.append(
                    contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            default: text.append(escaped)
            }
        }
    }
}
