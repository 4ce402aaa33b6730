// Texts that the reader accepts or refuses, and its errors.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

private func check(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        try JSONBytes(bytes).read { (reader) throws(JSONError) in _ = try reader.skipValue() }
        return nil
    } catch {
        return error
    }
}

private func check(_ text: String) -> JSONError? { check(Array(text.utf8)) }

private func read<Value>(
    _ text: String, _ body: (inout JSONReader) throws(JSONError) -> Value
) throws(JSONError) -> Value {
    try JSONBytes(text).read(body)
}

private func integer(_ text: String) throws(JSONError) -> Int64 {
    try read(text) { (reader) throws(JSONError) in try reader.readInteger() }
}

private func number(_ text: String) throws(JSONError) -> Double {
    try read(text) { (reader) throws(JSONError) in try reader.readDouble() }
}

private func string(_ text: String) throws(JSONError) -> String {
    try read(text) { (reader) throws(JSONError) in try reader.readString() }
}

@Suite struct JSONReaderTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-0.0", "1e5", "1E+5", "1e-05", "0e0", "0.1e1",
        "123456789012345678901234567890", "1e999", "\"\"", "\"a\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\u{7F}\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\u{10FFFF}\"", "\"\u{FEFF}\"", "[]", "[ ]", "{}", "{ }", " [1 , 2] ",
        "\t\r\n{ \"a\" : [ { } , [ ] ] , \"a\" : null }\n", "[[[[[]]]]]", "{\"\":0}", "{\"\\u0061\":1}",
        "\"\\uFFFF\"", "\"\\uD7FF\\uE000\"", "[\"/\",\"\\/\"]",
    ])
    func accepts(_ text: String) {
        #expect(check(text) == nil)
    }

    @Test(
        arguments: [
            ("", JSONError.Reason.unexpectedEnd, 0),
            ("  ", .unexpectedEnd, 2),
            ("nul", .unexpectedEnd, 3),
            ("nulL", .unexpectedByte(UInt8(ascii: "L")), 3),
            ("True", .unexpectedByte(UInt8(ascii: "T")), 0),
            ("truefalse", .trailingBytes, 4),
            ("1 2", .trailingBytes, 2),
            ("{}}", .trailingBytes, 2),
            ("\u{FEFF}1", .unexpectedByte(0xEF), 0),
            ("'a'", .unexpectedByte(UInt8(ascii: "'")), 0),
            ("+1", .unexpectedByte(UInt8(ascii: "+")), 0),
            (".5", .unexpectedByte(UInt8(ascii: ".")), 0),
            ("-", .unexpectedEnd, 1),
            ("-a", .invalidNumber, 1),
            ("01", .invalidNumber, 0),
            ("-012", .invalidNumber, 0),
            ("1.", .unexpectedEnd, 2),
            ("1.e5", .invalidNumber, 2),
            ("1e", .unexpectedEnd, 2),
            ("1e+", .unexpectedEnd, 3),
            ("1e+x", .invalidNumber, 3),
            ("0x1", .trailingBytes, 1),
            ("NaN", .unexpectedByte(UInt8(ascii: "N")), 0),
            ("-Infinity", .invalidNumber, 1),
            ("\"", .unexpectedEnd, 1),
            ("\"abc", .unexpectedEnd, 4),
            ("\"\\\"", .unexpectedEnd, 3),
            ("\"\\", .unexpectedEnd, 2),
            ("\"\\x\"", .invalidEscape, 1),
            ("\"\\U0041\"", .invalidEscape, 1),
            ("\"\\u00g0\"", .invalidEscape, 1),
            ("\"\\u00", .unexpectedEnd, 5),
            ("\"\\ud800\"", .loneSurrogate, 1),
            ("\"\\udc00\"", .loneSurrogate, 1),
            ("\"ab\\ud800\\u0041\"", .loneSurrogate, 3),
            ("\"\\ud800\\ud800\"", .loneSurrogate, 1),
            ("\"\\ud800x\"", .loneSurrogate, 1),
            ("\"a\nb\"", .controlCharacter, 2),
            ("\"a\u{0}b\"", .controlCharacter, 2),
            ("\"12345678\u{1F}\"", .controlCharacter, 9),
            ("[", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2),
            ("[1,", .unexpectedEnd, 3),
            ("[1,]", .unexpectedByte(UInt8(ascii: "]")), 3),
            ("[,1]", .unexpectedByte(UInt8(ascii: ",")), 1),
            ("[1 2]", .unexpectedByte(UInt8(ascii: "2")), 3),
            ("[1}", .unexpectedByte(UInt8(ascii: "}")), 2),
            ("[1:2]", .unexpectedByte(UInt8(ascii: ":")), 2),
            ("{", .unexpectedEnd, 1),
            ("{\"a\"", .unexpectedEnd, 4),
            ("{\"a\":", .unexpectedEnd, 5),
            ("{\"a\":1", .unexpectedEnd, 6),
            ("{\"a\":1,", .unexpectedEnd, 7),
            ("{\"a\":1,}", .unexpectedByte(UInt8(ascii: "}")), 7),
            ("{\"a\" 1}", .unexpectedByte(UInt8(ascii: "1")), 5),
            ("{a:1}", .unexpectedByte(UInt8(ascii: "a")), 1),
            ("{1:1}", .unexpectedByte(UInt8(ascii: "1")), 1),
            ("{\"a\":1]", .unexpectedByte(UInt8(ascii: "]")), 6),
            ("{,}", .unexpectedByte(UInt8(ascii: ",")), 1),
            ("{\"a\":}", .unexpectedByte(UInt8(ascii: "}")), 5),
            ("// 1", .unexpectedByte(UInt8(ascii: "/")), 0),
            ("1\u{A0}", .trailingBytes, 1),
            ("\u{B}1", .unexpectedByte(0x0B), 0),
            ("{\"\\ud800\":1}", .loneSurrogate, 2),
        ] as [(String, JSONError.Reason, Int)])
    func refuses(_ text: String, _ reason: JSONError.Reason, _ position: Int) {
        #expect(check(text) == JSONError(reason, at: position))
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ bytes: [UInt8]) {
        for padding in 0..<17 {
            let prefix = [UInt8](repeating: UInt8(ascii: "x"), count: padding)
            #expect(
                check([UInt8(ascii: "\"")] + prefix + bytes + [UInt8(ascii: "\"")])
                    == JSONError(.invalidUTF8, at: padding + 1))
        }
    }

    @Test func findsEachSpecialByteAtEachOffset() throws {
        for special in 0..<256 {
            for offset in 0..<47 {
                var content = [UInt8](repeating: UInt8(ascii: "m"), count: 47)
                content[offset] = UInt8(special)
                let error = check([UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")])
                switch special {
                case 0..<0x20: #expect(error == JSONError(.controlCharacter, at: offset + 1))
                case 0x22: #expect(error == JSONError(.trailingBytes, at: offset + 2))
                case 0x5C: #expect(error == JSONError(.invalidEscape, at: offset + 1) || offset == 46)
                case 0x80...: #expect(error == JSONError(.invalidUTF8, at: offset + 1))
                default: #expect(error == nil)
                }
            }
        }
    }

    /// Reading a pair in one go gives the same as reading it piece by piece, and consumes nothing else.
    @Test func readsPlainPairs() throws {
        let plain = String(repeating: "x", count: 40)
        for (text, expected) in [
            ("{\"id\":\"1\",\"path\":\"/a\"}", "/a"), ("{\"id\":\"\",\"path\":\"\"}", ""),
            ("{\"id\":\"\(plain)\",\"path\":\"\(plain)\"}", plain), ("{\"id\":\"1\",\"path\":\"/a\" }", nil),
            ("{\"id\":\"1\",\"path\":\"/\u{E9}\"}", nil), ("{\"id\":\"1\\n\",\"path\":\"/a\"}", nil),
            ("{\"id\":\"1\",\"path\":\"/a\\\"\"}", nil), ("{\"id\":\"1\",\"path\":\"/a\",\"size\":1}", nil),
            ("{\"path\":\"/a\",\"id\":\"1\"}", nil), ("{\"id\":\"1\",\"paths\":\"/a\"}", nil), ("{\"id\":1}", nil),
            ("{}", nil),
        ] as [(String, String?)] {
            for tail in ["", ",7"] {
                let array = "[\(text)\(tail)]"
                var found: String?
                var rest = 0
                try read(array) { (reader) throws(JSONError) in
                    try reader.beginArray()
                    while try reader.nextElement() {
                        let before = reader.position
                        if !reader.readPlainPair("id", "path", { found = String(decoding: $0, as: UTF8.self) }) {
                            let after = reader.position
                            #expect(after == before)
                            try reader.skipValue()
                            rest += 1
                        }
                    }
                }
                #expect(found == expected, "\(array)")
                #expect(rest == (expected == nil ? 1 : 0) + (tail.isEmpty ? 0 : 1), "\(array)")
            }
        }
        // Cut off anywhere it is not such an object.
        let whole = Array("[{\"id\":\"1\",\"path\":\"/a\"}".utf8)
        for length in 2..<whole.count {
            #expect(throws: JSONError.self) {
                try read(String(decoding: whole[..<length], as: UTF8.self)) { (reader) throws(JSONError) in
                    try reader.beginArray()
                    while try reader.nextElement() {
                        let isPlain = reader.readPlainPair("id", "path", { _ in })
                        #expect(!isPlain)
                        try reader.skipValue()
                    }
                }
            }
        }
    }

    @Test func limitsDepth() {
        let limit = JSONReader.maximumDepth
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deepest = String(repeating: open, count: limit) + "0" + String(repeating: close, count: limit)
            #expect(check(deepest) == nil)
            let deeper = String(repeating: open, count: limit + 1) + "0" + String(repeating: close, count: limit + 1)
            #expect(check(deeper)?.reason == .tooDeep(limit: limit))
            #expect(check(String(repeating: open, count: 1_000_000))?.reason == .tooDeep(limit: limit))
        }
    }

    @Test func limitsSize() {
        let text = Array("[1,2,3]".utf8)
        text.withUnsafeBytes { bytes in
            #expect(throws: JSONError(.tooLarge(limit: 6), at: 6)) {
                try JSONReader.read(bytes, maximumBytes: 6) { (reader) throws(JSONError) in try reader.skipValue() }
            }
            #expect(throws: Never.self) {
                try JSONReader.read(bytes, maximumBytes: 7) { (reader) throws(JSONError) in try reader.skipValue() }
            }
        }
    }

    @Test func readsIntegersExactly() throws {
        #expect(try integer("9223372036854775807") == .max)
        #expect(try integer("-9223372036854775808") == .min)
        #expect(try integer("-0") == 0)
        #expect(try integer(" 9007199254740993 ") == 9_007_199_254_740_993)
        for text in ["9223372036854775808", "-9223372036854775809", "1.0", "1e3", "99999999999999999999999"] {
            #expect(throws: JSONError(.numberOutOfRange, at: 0)) { try integer(text) }
        }
    }

    @Test func readsNumbers() throws {
        #expect(try number("0.1") == 0.1)
        #expect(try number("-1.5e-3") == -0.0015)
        #expect(try number("18446744073709551616") == 0x1p64)
        #expect(try number("5e-324") == .leastNonzeroMagnitude)
        #expect(throws: JSONError(.numberOutOfRange, at: 0)) { try number("1e400") }
    }

    @Test func readsStrings() throws {
        #expect(try string(#""a\u00e9\ud83d\ude00\n\/\"\\\b\f\r\t""#) == "aé😀\n/\"\\\u{8}\u{C}\r\t")
        #expect(try string("\"naïve – 𝄞\"") == "naïve – 𝄞")
        #expect(try string(#""\u0000""#) == "\0")
    }

    @Test func saysWhichTypeItFound() {
        #expect(throws: JSONError(.typeMismatch(expected: .string, found: .number), at: 1)) { try string(" 5") }
        #expect(throws: JSONError(.typeMismatch(expected: .number, found: .null), at: 0)) { try integer("null") }
    }

    @Test func readsObjectsInTheCallersOrder() throws {
        var seen: [String] = []
        let text = #" { "a" : 1 , "\u0062" : [ true , null ] , "c" : { } , "a" : -2 } "#
        let last = try read(text) { (reader) throws(JSONError) in
            var a: Int64 = 0
            try reader.beginObject()
            while try reader.nextKey() {
                seen.append(reader.key)
                if reader.keyIs("a") {
                    a = try reader.readInteger()
                } else if reader.keyIs("b") {
                    try reader.beginArray()
                    while try reader.nextElement() {
                        if try !reader.readNullIfPresent() { seen.append("\(try reader.readBool())") }
                    }
                } else {
                    try reader.skipValue()
                }
            }
            return a
        }
        #expect(last == -2, "of keys that repeat, the last counts")
        #expect(seen == ["a", "b", "true", "c", "a"])
    }

    @Test func tellsWhereAValueLies() throws {
        let range = try read("  [1, {\"a\": 2}]  ") { (reader) throws(JSONError) in try reader.skipValue() }
        #expect(range == 2..<15)
    }

    @Test func misuseIsAnError() {
        #expect(throws: JSONError.self) {
            try read("[1]") { (reader) throws(JSONError) in
                try reader.beginArray()
                _ = try reader.nextKey()
            }
        }
        #expect(throws: JSONError(.trailingBytes, at: 1)) {
            try read("[1]") { (reader) throws(JSONError) in try reader.beginArray() }
        }
    }
}
