// JSON, strictly.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import TestSupport
import Testing

@Suite struct ObjectReaderTests {
    @Test func values() throws {
        #expect(try ObjectReader.value(of: " null\n") == .none)
        #expect(try ObjectReader.value(of: "true") == .boolean(true))
        #expect(try ObjectReader.value(of: "false") == .boolean(false))
        #expect(try ObjectReader.value(of: "-0") == .integer(0))
        #expect(try ObjectReader.value(of: "9223372036854775807") == .integer(.max))
        #expect(try ObjectReader.value(of: "-9223372036854775808") == .integer(.min))
        #expect(try ObjectReader.value(of: "9223372036854775808") == .unsigned(1 << 63))
        #expect(try ObjectReader.value(of: "18446744073709551616") == .number(0x1p64))
        #expect(try ObjectReader.value(of: "1.5e-3") == .number(0.0015))
        #expect(try ObjectReader.value(of: "1E3") == .number(1000))
        #expect(try ObjectReader.value(of: "\"\\u0041\\n\\/\\ud83c\\udf89\u{E9}\"") == .string("A\n/\u{1F389}\u{E9}"))
        #expect(try ObjectReader.value(of: "\"\\u0000\"") == .string("\0"))
        #expect(try ObjectReader.value(of: "[]") == .array([]))
        #expect(
            try ObjectReader.value(of: "{ \"a\" : [ 1 , {} ] , \"b\" : \"\" , \"a\" : 2 }")
                == .dictionary(["a": .integer(2), "b": .string("")]))
    }

    @Test(
        "Text that is not JSON is refused, with its place",
        arguments: [
            ("", 0), ("{", 1), ("[1", 2), ("[1,]", 3), ("{\"a\"}", 4), ("{\"a\":1,}", 7), ("{a:1}", 1), ("01", 1),
            ("1.", 2),
            ("-", 1), (".5", 0), ("+1", 0), ("1e", 2), ("1e999", 0), ("nul", 3), ("True", 0), ("NaN", 0), ("'a'", 0),
            ("\"a", 2), ("\"\t\"", 1), ("\"\\x\"", 1), ("\"\\u12g4\"", 5), ("\"\\ud800\"", 1), ("\"\\udc00x\"", 1),
            ("\"\\", 2), ("{} {}", 3), ("[1 2]", 3), ("// x", 0), ("\u{FEFF}1", 0),
        ])
    func refused(text: String, position: Int) {
        do throws(ObjectReaderError) {
            let value = try ObjectReader.value(of: text)
            Issue.record("read as \(value)")
        } catch {
            #expect(error.position == position, "\(error)")
        }
    }

    @Test func textHasToBeUTF8() {
        let bytes: [UInt8] = Array("{\"a\":\"x".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        #expect(throws: ObjectReaderError.self) { try bytes.withUnsafeBytes { try ObjectReader.value(of: $0) } }
    }

    @Test func nestingIsLimited() throws {
        let deep = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        _ = try ObjectReader.value(of: deep)
        #expect(throws: ObjectReaderError.self) { try ObjectReader.value(of: "[" + deep + "]") }
        #expect(throws: ObjectReaderError.self) {
            try ObjectReader.value(of: String(repeating: "{\"a\":", count: 100_000))
        }
    }

    @Test(arguments: [31, 32] as [UInt64])
    func noBytesTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "u00e9", "1", "-", ".", "e", "null", "a", " ", "\u{E9}",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...10, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            do throws(ObjectReaderError) { _ = try ObjectReader.value(of: text) } catch {
                #expect((0...text.utf8.count).contains(error.position), "seed \(seed): \(text)")
            }
        }
    }
}
