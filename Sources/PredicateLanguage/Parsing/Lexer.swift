// Splits a predicate's text into tokens.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Reads the tokens of a predicate's text, one at a time. The text must be UTF-8; outside literals it is ASCII.
struct Lexer {
    let bytes: [UInt8]
    private(set) var position = 0

    /// Advances by some bytes.
    mutating func advance(_ count: Int) { position += count }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The text between two places.
    func text(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }

    /// Reads the next token; at the end of the text, `.end` each time.
    mutating func next() throws(PredicateError) -> Token {
        while let byte = byte(at: position), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        guard let first = byte(at: start) else { return Token(kind: .end, start: start, end: start) }
        let kind: Token.Kind
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): kind = .string(try string(quote: first))
        case _ where first.isDigit: kind = try number()
        case _ where first.isNameStart: kind = try word()
        case UInt8(ascii: "#"): kind = .word(try name(after: "#", "write #size for a key called size"), escaped: true)
        case UInt8(ascii: "$"): kind = .variable(try name(after: "$", "write $x"))
        case UInt8(ascii: "@"): kind = .at(try name(after: "@", "write @count"))
        default: kind = try symbol(first)
        }
        return Token(kind: kind, start: start, end: position)
    }

    // MARK: Symbols

    private static let operatorBytes = Array("=!<>&|~:".utf8)

    private mutating func symbol(_ first: UInt8) throws(PredicateError) -> Token.Kind {
        let start = position
        let second = byte(at: start + 1)
        func takes(_ length: Int, _ kind: Token.Kind) -> Token.Kind {
            position = start + length
            return kind
        }
        switch first {
        case UInt8(ascii: "("): return takes(1, .openParenthesis)
        case UInt8(ascii: ")"): return takes(1, .closeParenthesis)
        case UInt8(ascii: "["): return takes(1, .openBracket)
        case UInt8(ascii: "]"): return takes(1, .closeBracket)
        case UInt8(ascii: "{"): return takes(1, .openBrace)
        case UInt8(ascii: "}"): return takes(1, .closeBrace)
        case UInt8(ascii: ","): return takes(1, .comma)
        case UInt8(ascii: "."): return takes(1, .dot)
        case UInt8(ascii: "+"): return takes(1, .plus)
        case UInt8(ascii: "-"): return takes(1, .minus)
        case UInt8(ascii: "*"): return second == UInt8(ascii: "*") ? takes(2, .power) : takes(1, .star)
        case UInt8(ascii: "/") where second != UInt8(ascii: "/"): return takes(1, .slash)
        case UInt8(ascii: "/"): throw PredicateError("there are no comments in a predicate", at: start)
        case UInt8(ascii: "%"):
            throw PredicateError("'%' stands for an argument, and there are none; write the value itself", at: start)
        case _ where Lexer.operatorBytes.contains(first): break
        default: throw PredicateError(unexpectedCharacter(at: start), at: start)
        }
        let pair = (first, second ?? 0)
        let operation: Comparison.Operator
        let length: Int
        switch (Unicode.Scalar(pair.0), Unicode.Scalar(pair.1)) {
        case ("&", "&"): return takes(2, .and)
        case ("|", "|"): return takes(2, .or)
        case ("=", "="): (operation, length) = (.equal, 2)
        case ("!", "="), ("<", ">"): (operation, length) = (.notEqual, 2)
        case ("<", "="), ("=", "<"): (operation, length) = (.lessOrEqual, 2)
        case (">", "="), ("=", ">"): (operation, length) = (.greaterOrEqual, 2)
        case ("=", _): (operation, length) = (.equal, 1)
        case ("<", _): (operation, length) = (.less, 1)
        case (">", _): (operation, length) = (.greater, 1)
        case ("!", "~"): throw unknownOperator(at: start)
        case ("!", _): return takes(1, .not)
        default: throw unknownOperator(at: start)
        }
        if let following = byte(at: start + length), Lexer.operatorBytes.contains(following) {
            throw unknownOperator(at: start)
        }
        return takes(length, .comparison(operation))
    }

    private func unknownOperator(at start: Int) -> PredicateError {
        var end = start
        while let byte = byte(at: end), Lexer.operatorBytes.contains(byte) { end += 1 }
        let written = text(start, end)
        let meant =
            switch written {
            case "&": "; did you mean '&&'?"
            case "|": "; did you mean '||'?"
            case "===", ":=": "; did you mean '=='?"
            case "!==", "=!", "~=": "; did you mean '!='?"
            case "~", "=~", "~~", "~*", "==~", "!~": regularExpression(after: end, isNegated: written == "!~")
            default: ""
            }
        return PredicateError("unknown operator '\(written)'\(meant)", at: start)
    }

    /// The suggestion for an operator that means "matches somewhere" in other languages, with the text that follows it.
    private func regularExpression(after end: Int, isNegated: Bool) -> String {
        var ahead = self
        ahead.position = end
        guard case .string(let text)? = (try? ahead.next())?.kind else { return "; did you mean LIKE or MATCHES?" }
        let anywhere = PredicateText.literal(".*\(text).*")
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        let not = isNegated ? "NOT in front and " : ""
        return isPlain
            ? "; write \(not)CONTAINS \(PredicateText.literal(text)) or MATCHES \(anywhere)"
            : "; write \(not)MATCHES \(anywhere)"
    }

    private func unexpectedCharacter(at start: Int) -> String {
        guard let scalar = String(decoding: bytes[start...].prefix(4), as: UTF8.self).unicodeScalars.first else {
            return "unexpected end"
        }
        switch scalar {
        case "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "`":
            return "'\(scalar)' is no quotation mark here; write 'text' or \"text\""
        case "?": return "'?' is a wildcard only inside quotes, as in LIKE 'a?'"
        case _ where scalar.properties.isAlphabetic:
            return "'\(scalar)' cannot be part of a key; keys are letters a to z, digits and '_'"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
            return "unexpected control character \(scalar.value)"
        default: return "unexpected '\(scalar)'"
        }
    }

    // MARK: Words

    private mutating func name(after sigil: String, _ example: String) throws(PredicateError) -> String {
        let start = position + 1
        guard let first = byte(at: start), first.isNameStart else {
            throw PredicateError("expected a name after '\(sigil)'; \(example)", at: position)
        }
        position = start
        return takeName()
    }

    private mutating func takeName() -> String {
        let start = position
        while let byte = byte(at: position), byte.isNamePart { position += 1 }
        return text(start, position)
    }

    private mutating func word() throws(PredicateError) -> Token.Kind {
        let start = position
        let word = takeName()
        if let next = byte(at: position), next >= 0x80 {
            throw PredicateError(unexpectedCharacter(at: position), at: position)
        }
        if word.uppercased() == "UTI", byte(at: position) == UInt8(ascii: "-") {
            for name in ["-CONFORMS-TO", "-EQUALS"] {
                let end = position + name.utf8.count
                guard end <= bytes.count, text(position, end).uppercased() == name,
                    !(byte(at: end)?.isNamePart ?? false)
                else { continue }
                position = end
                return .word("UTI" + name, escaped: false)
            }
        }
        guard byte(at: position) == UInt8(ascii: ":") else { return .word(word, escaped: false) }
        var end = position
        while let byte = byte(at: end), byte.isNamePart || byte == UInt8(ascii: ":") { end += 1 }
        guard bytes[end - 1] == UInt8(ascii: ":"), byte(at: end) == UInt8(ascii: "(") else {
            return .word(word, escaped: false)
        }
        position = end
        return .functionName(text(start, end))
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isNameStart: Bool {
        asciiLowercased >= UInt8(ascii: "a") && asciiLowercased <= UInt8(ascii: "z") || self == 0x5F
    }
    var isNamePart: Bool { isNameStart || isDigit }
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
    var hexDigit: UInt8? {
        switch asciiLowercased {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: asciiLowercased - 0x61 + 10
        default: nil
        }
    }
}
