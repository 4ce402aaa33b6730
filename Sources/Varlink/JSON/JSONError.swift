// Why a text is not the JSON that was asked for, and where.
// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON, or not the JSON that the reader was asked for, and at which byte.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    package enum Reason: Sendable, Hashable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that cannot stand here.
        case unexpectedByte(UInt8)
        /// Something follows the value.
        case trailingBytes
        /// A string holds bytes that are not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A string holds a control character that is not escaped.
        case controlCharacter
        /// A backslash is followed by none of `"\/bfnrt` and no `u` with four hexadecimal digits.
        case invalidEscape
        /// A `\u` escape names half of a surrogate pair without the other half.
        case loneSurrogate
        /// A number that RFC 8259 does not allow, such as `01` or `1.`.
        case invalidNumber
        /// A number that does not fit into the type that was asked for.
        case numberOutOfRange
        /// Another type of value than was asked for.
        case typeMismatch(expected: JSONType, found: JSONType)
        /// An object lacks a field that must be there.
        case missingField(String)
        /// An object has a field that must not be there.
        case unknownField(String)
        /// A string is none of the values of its type.
        case invalidValue(String)
        /// Arrays and objects are nested more deeply than this.
        case tooDeep(limit: Int)
        /// The text has more bytes than this.
        case tooLarge(limit: Int)
    }

    /// The kind of fault.
    package var reason: Reason
    /// Bytes from the start of the text.
    package var position: Int

    /// An error at a byte.
    package init(_ reason: Reason, at position: Int) {
        self.reason = reason
        self.position = position
    }

    package var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "the text ends inside a value"
            case .unexpectedByte(let byte): "unexpected \(JSONError.name(of: byte))"
            case .trailingBytes: "something follows the value"
            case .invalidUTF8: "a string is not valid UTF-8"
            case .controlCharacter: "a control character in a string is not escaped"
            case .invalidEscape: "not an escape sequence"
            case .loneSurrogate: "half of a surrogate pair stands alone"
            case .invalidNumber: "not a number"
            case .numberOutOfRange: "the number is out of range"
            case .typeMismatch(let expected, let found): "expected \(expected.rawValue), found \(found.rawValue)"
            case .missingField(let name): "the field '\(name)' is missing"
            case .unknownField(let name): "the field '\(name)' is unknown"
            case .invalidValue(let value): "'\(value)' is not one of the values"
            case .tooDeep(let limit): "nested more than \(limit) deep"
            case .tooLarge(let limit): "longer than \(limit) bytes"
            }
        return "\(what) at byte \(position)"
    }

    private static func name(of byte: UInt8) -> String {
        byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
    }
}

/// The type of a JSON value, as told by its first byte.
package enum JSONType: String, Sendable, Hashable {
    case null
    case boolean
    case number
    case string
    case array
    case object
}
