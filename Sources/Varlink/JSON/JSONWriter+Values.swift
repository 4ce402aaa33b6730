// Scalars: strings with the fast path for those that need no escape, numbers, literals.
// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// `null`
    package mutating func null() {
        entry("null")
    }

    /// `true` or `false`
    package mutating func bool(_ value: Bool) {
        entry(value ? "true" : "false")
    }

    /// An integer, in full.
    package mutating func integer(_ value: Int64) {
        reserve(21)
        separate()
        if value < 0 { append(UInt8(ascii: "-")) }
        digits(of: value.magnitude)
    }

    /// An integer without sign, in full.
    package mutating func unsigned(_ value: UInt64) {
        reserve(21)
        separate()
        digits(of: value)
    }

    private mutating func digits(of value: UInt64) {
        var magnitude = value
        var digits = 1
        var bound: UInt64 = 10
        while magnitude >= bound {
            digits &+= 1
            if digits == 20 { break }
            bound &*= 10
        }
        var index = count &+ digits
        count = index
        repeat {
            index &-= 1
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            base.storeBytes(of: UInt8(truncatingIfNeeded: digit) &+ 48, toByteOffset: index, as: UInt8.self)
            magnitude = quotient
        } while magnitude != 0
    }

    /// The shortest text that reads back as the same Double; `null` for one that is not finite, which JSON cannot say.
    package mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        var text = value.description
        text.withUTF8 { if let start = $0.baseAddress { append(start, count: $0.count) } }
    }

    /// A string.
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { _ = string(replacingInvalid: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string from bytes that should be UTF-8. Invalid bytes are written as U+FFFD, and the result is false. One pass,
    /// eight bytes a step where nothing needs an escape.
    @discardableResult
    package mutating func string(replacingInvalid bytes: UnsafeRawBufferPointer) -> Bool {
        separate()
        reserve(bytes.count &+ 2)
        append(UInt8(ascii: "\""))
        let isValid = stringContent(bytes)
        append(UInt8(ascii: "\""))
        return isValid
    }

    /// The content of a string, without its quotes. False where invalid UTF-8 was replaced.
    mutating func stringContent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = bytes.baseAddress else { return true }
        let end = bytes.count
        var index = 0
        var isValid = true
        while true {
            let plainEnd = JSONText.endOfPlainASCII(source, from: index, to: end)
            if plainEnd > index {
                append(source + index, count: plainEnd &- index)
                index = plainEnd
            }
            guard index < end else { return isValid }
            let byte = source.load(fromByteOffset: index, as: UInt8.self)
            if byte < 0x80 {
                escape(byte)
                index &+= 1
                continue
            }
            let length = JSONText.lengthOfSequence(source, at: index, to: end)
            if length > 0 {
                append(source + index, count: length)
                index &+= length
            } else {
                isValid = false
                append(0xEF)
                append(0xBF)
                append(0xBD)
                index &+= JSONText.lengthOfIllFormed(source, at: index, to: end)
            }
        }
    }

    @inline(never)
    private mutating func escape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(UInt8(ascii: "u"))
            append(UInt8(ascii: "0"))
            append(UInt8(ascii: "0"))
            append(UInt8(ascii: "0") + byte >> 4)
            append(byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10)
        }
    }

    /// A string that holds bytes in Base64 (RFC 4648, section 4, with padding).
    package mutating func base64(_ bytes: UnsafeRawBufferPointer) {
        separate()
        reserve((bytes.count &+ 2) / 3 * 4 &+ 2)
        append(UInt8(ascii: "\""))
        Base64.forEachDigit(of: bytes) { append($0) }
        append(UInt8(ascii: "\""))
    }
}

// MARK: Fields

extension JSONWriter {
    /// A key and a string.
    package mutating func field(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// A key and an integer.
    package mutating func field(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    /// A key and a boolean.
    package mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// A key and a number.
    package mutating func field(_ name: StaticString, _ value: Double) {
        key(name)
        number(value)
    }

    /// A key and an array of strings.
    package mutating func field(_ name: StaticString, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// A key and an array of integers.
    package mutating func field(_ name: StaticString, _ values: [Int64]) {
        key(name)
        beginArray()
        for value in values { integer(value) }
        endArray()
    }

    /// A key and a string, or nothing.
    package mutating func field(_ name: StaticString, _ value: String?) {
        if let value { field(name, value) }
    }

    /// A key and an integer, or nothing.
    package mutating func field(_ name: StaticString, _ value: Int64?) {
        if let value { field(name, value) }
    }

    /// A key and a boolean, or nothing.
    package mutating func field(_ name: StaticString, _ value: Bool?) {
        if let value { field(name, value) }
    }

    /// A key and a number, or nothing.
    package mutating func field(_ name: StaticString, _ value: Double?) {
        if let value { field(name, value) }
    }

    /// A key and an array of strings, or nothing.
    package mutating func field(_ name: StaticString, _ values: [String]?) {
        if let values { field(name, values) }
    }
}
