// The reader of TOML against the specification (toml.io, version 1.0): accepted texts, and refused ones with the line.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct TOMLDocumentTests {
    private func refusal(_ text: String) -> TOMLError? {
        do {
            _ = try TOMLDocument(parsing: text)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        (#""a""#, TOMLValue.string("a")), (#""""#, .string("")), ("''", .string("")),
        (#"'C:\x "y"'"#, .string(#"C:\x "y""#)),
        (#""\b\t\n\f\r\"\\\u00e4\U0001F600""#, .string("\u{8}\t\n\u{C}\r\"\\ä😀")), ("\"Öl\t\"", .string("Öl\t")),
        ("0", .integer(0)), ("+1_000", .integer(1000)), ("-17", .integer(-17)), ("-0", .integer(0)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("0.8", .number(0.8)), ("-1.5e3", .number(-1500)), ("6E-1", .number(0.6)), ("1_0.2_5", .number(10.25)),
        ("true", .boolean(true)), ("false", .boolean(false)),
        ("[]", .array([])), ("[ 'a' , \"b\", ]", .array([.string("a"), .string("b")])),
        ("[ # why\n  1,\n\n  [true]\n]", .array([.integer(1), .array([.boolean(true)])])),
    ])
    func `Values are what the specification says`(_ text: String, _ value: TOMLValue) throws {
        #expect(try TOMLDocument(parsing: "key = \(text)").root.entries["key"]?.value == value)
        #expect(try TOMLDocument(parsing: "\u{FEFF}key=\(text)#comment\r\n").root.entries["key"]?.value == value)
    }

    @Test(arguments: [
        "", "01", "1_", "_1", "1__0", "1.", ".5", "1e", "0x1F", "inf", "nan", "True", "yes", "1979-05-27", "1 2", "a",
        "9223372036854775808", "1e999", "\"", "'", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\U00110000""#,
        "\"\u{1}\"",
        #""""a""""#, "'''a'''", "[1", "[1,,2]", "[,]", "[1 2]", "{a = 1}", "\"a\" b", "[\"a\"",
        String(repeating: "[", count: 100_000),
    ])
    func `Anything else is refused on its line`(_ text: String) {
        #expect(
            refusal("\n# first\nkey = \(text)")?.line == 3, "\(String(describing: refusal("\n# first\nkey = \(text)")))"
        )
    }

    @Test(arguments: [
        ("a", 1), ("= 1", 1), ("a.b = 1", 1), ("a = 1\na = 2", 2), ("a = 1\n\"a\" = 2", 2), ("[t]\n[t]", 2),
        ("[[t]]", 1), ("[t", 1), ("[]", 1), ("[a.b]", 1), ("[t] x", 1), ("a = 1 b = 2", 1), ("a = 1\rb = 2", 1),
        ("# \u{1}", 1), ("# \r x", 1), ("# \r", 1), ("\"a\" . b = 1", 1),
        ("a = [\n1,\n2 3]", 3),
    ])
    func `Statements that are wrong are refused`(_ text: String, _ line: Int) {
        #expect(refusal(text)?.line == line, "\(String(describing: refusal(text)))")
    }

    @Test func `Tables and keys know their lines`() throws {
        let document = try TOMLDocument(
            parsing: "# file\nroot = 1\n\n[ \"org.example\" ] # one\npath = '/a'\n'quoted key' = 2\n\n[bare-2_]\n")
        #expect(document.root.entries == ["root": .init(value: .integer(1), line: 2)])
        #expect(document.tables["org.example"]?.line == 4)
        #expect(
            document.tables["org.example"]?.entries == [
                "path": .init(value: .string("/a"), line: 5), "quoted key": .init(value: .integer(2), line: 6),
            ])
        #expect(document.tables["bare-2_"] == .init(line: 8))
    }

    @Test(arguments: ["", "a", "\"\\", "\n\u{0}\u{7F}\r", "äöü😀", "# = [x]"])
    func `A quoted text is read back as it was`(_ text: String) throws {
        let quoted = TOMLDocument.quoted(text)
        #expect(
            try TOMLDocument(parsing: "[\(quoted)]\n\(quoted) = \(quoted)").tables[text]?.entries[text]?.value
                == .string(text))
    }
}
