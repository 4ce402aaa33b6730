// The output of the writer, byte for byte.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Varlink

private func written(_ body: (inout JSONWriter) -> Void) -> String { JSONBytes(body).text }

private func string(_ bytes: [UInt8]) -> (text: String, isValid: Bool) {
    var writer = JSONWriter()
    let isValid = bytes.withUnsafeBytes { writer.string(replacingInvalid: $0) }
    return (writer.takeBytes().text, isValid)
}

@Suite struct JSONWriterTests {
    @Test func putsCommasWhereTheyBelong() {
        let text = written { writer in
            writer.beginObject()
            writer.field("a", 1 as Int64)
            writer.key("b")
            writer.beginArray()
            writer.integer(-2)
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.bool(false)
            writer.endArray()
            writer.entry("\"c\":\"d\"")
            writer.field("e", nil as String?)
            writer.key(escaping: "f\"g")
            writer.raw(JSONBytes("[0]"))
            writer.field("h", ["x", "y"])
            writer.field("i", 0.5)
            writer.endObject()
        }
        #expect(text == #"{"a":1,"b":[-2,{},[],null,false],"c":"d","f\"g":[0],"h":["x","y"],"i":0.5}"#)
    }

    @Test func writesIntegers() {
        var values: [Int64] = [0, 1, -1, 9, 10, .max, .min, .max - 1, .min + 1]
        var power: Int64 = 10
        while power < 1_000_000_000_000_000_000 {
            values += [power - 1, power, power + 1, -power, 1 - power]
            power *= 10
        }
        for value in values { #expect(written { $0.integer(value) } == "\(value)") }
    }

    @Test func writesNumbers() throws {
        for value: Double in [0.1, -0.0, 1e-7, 1e22, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 123456.789] {
            let bytes = JSONBytes { $0.number(value) }
            #expect(try bytes.read { (reader) throws(JSONError) in try reader.readDouble() } == value)
        }
        #expect(written { $0.number(.nan) } == "null")
        #expect(written { $0.number(-.infinity) } == "null")
    }

    @Test func escapesWhatMustBe() {
        let all = String(String.UnicodeScalarView((0..<0x80).map { Unicode.Scalar(UInt8($0)) }))
        let expected =
            #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013"#
            + #"\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f !\"#
            + "\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ["
            + #"\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"# + "\u{7F}\""
        #expect(written { $0.string(all) } == expected)
        #expect(written { $0.string("é😀\u{10FFFF}") } == "\"é😀\u{10FFFF}\"")
        #expect(written { $0.string("") } == "\"\"")
    }

    @Test func replacesInvalidUTF8AsTheStandardLibraryDoes() {
        var generator = SeededGenerator(seed: 7)
        let interesting: [UInt8] = [
            0x41, 0x80, 0xBF, 0xC0, 0xC3, 0xA9, 0xE0, 0xA0, 0xE2, 0x82, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF,
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                interesting.randomElement(using: &generator) ?? 0
            }
            let decoded = String(decoding: bytes, as: UTF8.self)
            let (text, isValid) = string(bytes)
            #expect(text == "\"\(decoded)\"", "\(bytes)")
            #expect(isValid == (Array(decoded.utf8) == bytes), "\(bytes)")
        }
    }

    @Test func writesBase64() {
        // RFC 4648, section 10.
        let vectors = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, encoded) in vectors {
            #expect(written { writer in Array(plain.utf8).withUnsafeBytes { writer.base64($0) } } == "\"\(encoded)\"")
            #expect(Array(encoded.utf8).withUnsafeBytes { Base64.decode($0) } == Array(plain.utf8))
        }
        for wrong in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Zg==Zg==", "Zm 9", "Zm-_", "=Zg="] {
            #expect(Array(wrong.utf8).withUnsafeBytes { Base64.decode($0) } == nil, "\(wrong)")
        }
        let all = (0...255).map { UInt8($0) }
        let text = written { writer in all.withUnsafeBytes { writer.base64($0) } }
        #expect(Array(text.utf8.dropFirst().dropLast()).withUnsafeBytes { Base64.decode($0) } == all)
    }

    @Test func growsAndIsUsedAgain() {
        var writer = JSONWriter(capacity: 0)
        let long = String(repeating: "é\n", count: 50_000)
        for _ in 0..<3 {
            writer.string(long)
            #expect(writer.count == 200_002)
            #expect(writer.takeBytes().text == "\"" + String(repeating: "é\\n", count: 50_000) + "\"")
            #expect(writer.count == 0)
        }
        writer.removeAll(keepingAtMost: 1024)
        writer.null()
        #expect(writer.takeBytes().text == "null")
    }

    @Test func truncates() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(1)
        let count = writer.count
        writer.integer(2)
        writer.truncate(to: count, needsComma: true)
        writer.integer(3)
        writer.endArray()
        #expect(writer.takeBytes().text == "[1,3]")
    }
}
