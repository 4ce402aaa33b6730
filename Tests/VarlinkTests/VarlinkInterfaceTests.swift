// Interface text: its declarations, its faults with their place, and holding parameters to it.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Varlink

private let sample = """
    # First line.
    # Second line.

    # About it.
    interface org.example.more-1

    # A structure.
    type State (
      # How far, in percent.
      progress: ?int,
      start: bool
    )
    type Mode (on, off_now)
    type Deep (a: ?[]State, b: [string](x: float, y: ?object), c: (one, two), d: []Mode, e: [][]string)

    # Gone: a blank line follows.

    method Ping(ping: string) -> (pong: string)
    # With a tab.
    method\tSet ( state : State,mode:?Mode ,n:int) # trailing
      -> ( )
    error Bad ()# end
    """

@Suite struct VarlinkInterfaceTests {
    @Test func readsEverything() throws {
        let interface = try VarlinkInterface(parsing: sample)
        #expect(interface.name == "org.example.more-1")
        #expect(interface.documentation == "About it.")
        #expect(interface.text == sample)
        #expect(interface.memberNames == ["State", "Mode", "Deep", "Ping", "Set", "Bad"])
        #expect(
            interface.types["State"]
                == .init(
                    name: "State",
                    type: .structure([
                        .init(name: "progress", type: .optional(.int), documentation: "How far, in percent."),
                        .init(name: "start", type: .bool, documentation: ""),
                    ]), documentation: "A structure."))
        #expect(interface.types["Mode"]?.type == .enumeration(["on", "off_now"]))
        guard case .structure(let deep)? = interface.types["Deep"]?.type else {
            Issue.record("Deep is a structure")
            return
        }
        #expect(
            deep.map(\.type) == [
                .optional(.array(.named("State"))),
                .map(
                    .structure([
                        .init(name: "x", type: .float, documentation: ""),
                        .init(name: "y", type: .optional(.object), documentation: ""),
                    ])), .enumeration(["one", "two"]), .array(.named("Mode")), .array(.array(.string)),
            ])
        #expect(interface.methods["Ping"]?.documentation == "")
        #expect(interface.methods["Set"]?.documentation == "With a tab.")
        #expect(interface.methods["Set"]?.input.map(\.name) == ["state", "mode", "n"])
        #expect(interface.methods["Set"]?.output == [])
        #expect(interface.errors["Bad"]?.parameters == [])
    }

    @Test(arguments: [
        ("", "1:1: expected 'interface'"),
        ("interfaces a.b", "1:1: expected 'interface'"),
        ("interface ", "1:11: expected the interface's name"),
        ("interface foo", "1:11: 'foo' is no interface name: reverse domain form, with a dot"),
        ("interface a..b", "1:11: 'a..b' is no interface name: reverse domain form, with a dot"),
        ("interface 1.b", "1:11: '1.b' is no interface name: reverse domain form, with a dot"),
        ("interface a.b-", "1:11: 'a.b-' is no interface name: reverse domain form, with a dot"),
        ("interface a.b\nfoo", "2:1: expected 'type', 'method' or 'error'"),
        ("interface a.b\nmethod foo() -> ()", "2:8: expected a name that begins with a capital"),
        ("interface a.b\nmethod F_() -> ()", "2:8: expected a name that begins with a capital"),
        ("interface a.b\nmethod Foo", "2:11: expected '('"),
        ("interface a.b\nmethod Foo()", "2:13: expected '->'"),
        ("interface a.b\nmethod Foo() ->", "2:16: expected '('"),
        ("interface a.b\nmethod Foo(x) -> ()", "2:11: expected fields with types"),
        ("interface a.b\nmethod Foo(x: int y: int) -> ()", "2:19: expected ',' or ')'"),
        ("interface a.b\nmethod Foo(x: int,) -> ()", "2:19: expected a field's name"),
        ("interface a.b\nmethod Foo(x: int, y) -> ()", "2:21: expected ':' and a type"),
        ("interface a.b\ntype Foo (x, y: int)", "2:15: a value of an enumeration has no type"),
        ("interface a.b\ntype Foo (x: int, x: bool)", "2:19: 'x' is declared twice"),
        ("interface a.b\ntype Foo (x__y: int)", "2:11: expected a field's name"),
        ("interface a.b\ntype Foo (_x: int)", "2:11: expected a field's name"),
        ("interface a.b\ntype Foo (x: integer)", "2:14: 'integer' is no type"),
        ("interface a.b\ntype Foo (x: )", "2:14: expected a type"),
        ("interface a.b\ntype Foo (x: ??int)", "2:15: '?' twice"),
        ("interface a.b\ntype Foo (x: [int]string)", "2:15: expected 'string]'"),
        ("interface a.b\ntype Foo (x: Bar)", "2:14: no type is called 'Bar'"),
        ("interface a.b\ntype Foo ()\n\n# x\nerror Foo ()", "5:7: 'Foo' is declared twice"),
        ("interface a.b\ntype Foo (x: int", "2:17: expected ',' or ')'"),
        ("interface a.b\nerror Foo", "2:10: expected '('"),
    ])
    func refuses(_ text: String, _ expected: String) {
        do throws(VarlinkInterfaceError) {
            _ = try VarlinkInterface(parsing: text)
            Issue.record("accepted: \(text)")
        } catch {
            #expect("\(error)" == expected)
        }
    }

    @Test func everyBeginningOfAnInterfaceIsReadOrRefused() {
        let bytes = Array(sample.utf8)
        var accepted = 0
        for length in 0...bytes.count {
            if (try? VarlinkInterface(parsing: String(decoding: bytes[..<length], as: UTF8.self))) != nil {
                accepted += 1
            }
        }
        #expect(accepted > 0 && accepted < bytes.count / 2)
    }

    @Test func limitsDepth() {
        let text = "interface a.b\ntype Foo (x: " + String(repeating: "[]", count: 100_000) + "int)"
        #expect(throws: VarlinkInterfaceError.self) { try VarlinkInterface(parsing: text) }
    }

    @Test(
        arguments: [
            (#"{"state":{"start":true},"n":1}"#, nil),
            (#"{"n":1,"mode":null,"state":{"progress":null,"start":true}}"#, nil),
            (#"{"n":-9223372036854775808,"mode":"off_now","state":{"progress":5,"start":true}}"#, nil),
            (#"{"state":{"start":true}}"#, "n"),
            (#"{"state":{"start":true},"n":null}"#, "n"),
            (#"{"state":{"start":true},"n":1.5}"#, "n"),
            (#"{"state":{"start":true},"n":9223372036854775808}"#, "n"),
            (#"{"state":{"start":true},"n":"1"}"#, "n"),
            (#"{"n":1}"#, "state"),
            (#"{"state":{},"n":1}"#, "state"),
            (#"{"state":{"start":1},"n":1}"#, "state"),
            (#"{"state":{"start":true,"extra":0},"n":1}"#, "state"),
            (#"{"state":[],"n":1}"#, "state"),
            (#"{"state":{"start":true},"n":1,"mode":"sideways"}"#, "mode"),
            (#"{"state":{"start":true},"n":1,"mode":1}"#, "mode"),
            (#"{"state":{"start":true},"n":1,"extra":1}"#, "extra"),
            (#"{"extra":{},"n":1}"#, "extra"),
        ] as [(String, String?)])
    func holdsParametersToTheirTypes(_ parameters: String, _ invalid: String?) throws {
        let interface = try VarlinkInterface(parsing: sample)
        let method = try #require(interface.methods["Set"])
        #expect(interface.invalidParameter(in: JSONBytes(parameters), of: method) == invalid)
    }

    @Test func holdsDeepTypes() throws {
        let interface = try VarlinkInterface(parsing: sample)
        guard case .structure(let deep)? = interface.types["Deep"]?.type else { return }
        func invalid(_ text: String) -> String? { interface.invalidField(in: JSONBytes(text), declaredAs: deep) }
        let right = #"{"a":[{"start":false}],"b":{"k":{"x":1,"y":{"any":[1]}}},"c":"two","d":["on"],"e":[["s"],[]]}"#
        #expect(invalid(right) == nil)
        #expect(invalid(right.replacing("[1]", with: "1").replacing("{\"any\":1}", with: "5")) == "b")
        #expect(invalid(right.replacing("false", with: "0")) == "a")
        #expect(invalid(right.replacing("two", with: "three")) == "c")
        #expect(invalid(right.replacing("[\"on\"]", with: "[\"on\",1]")) == "d")
        #expect(invalid(right.replacing("[\"s\"]", with: "[null]")) == "e")
    }
}
