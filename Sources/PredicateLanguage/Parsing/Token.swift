// The tokens of the language.
// SPDX-License-Identifier: Apache-2.0

/// A word, literal or symbol, and its bytes.
struct Token {
    enum Kind: Equatable {
        case end
        /// A key or a keyword; `escaped` after `#`, which makes a key of any word.
        case word(String, escaped: Bool)
        /// A function's name with its colons, `modulus:by:`.
        case functionName(String)
        case string(String)
        case integer(Int64)
        /// A whole number beyond `Int64.max`.
        case unsigned(UInt64)
        case number(Double)
        /// A size with its unit, in bytes: `10KB`.
        case size(Int64)
        /// `$name`.
        case variable(String)
        /// `@name`.
        case at(String)
        case comparison(Comparison.Operator)
        case and, or, not
        case plus, minus, star, slash, power
        case comma, dot
        case openParenthesis, closeParenthesis
        case openBracket, closeBracket
        case openBrace, closeBrace
    }

    var kind: Kind
    var start: Int
    var end: Int
}
