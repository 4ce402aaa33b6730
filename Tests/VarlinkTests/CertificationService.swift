// org.varlink.certification, the interface by which implementations of Varlink certify one another: a client calls Start,
// Test01 to Test11 and End, each with what the call before has answered, and the service holds every call to the letter.
// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The course of the certification, from <https://github.com/varlink/go> and <https://github.com/varlink/python>.
enum Certification {
    static let name = "org.varlink.certification"

    /// One call. Its parameters are the client's identifier and the answer to the call before.
    struct Step {
        let method: String
        var more = false
        var oneway = false
        /// The parameters of its replies.
        let replies: [String]

        init(_ method: String, more: Bool = false, oneway: Bool = false, _ replies: String...) {
            self.init(method, more: more, oneway: oneway, replies: replies)
        }

        init(_ method: String, more: Bool = false, oneway: Bool = false, replies: [String]) {
            self.method = method
            self.more = more
            self.oneway = oneway
            self.replies = replies
        }
    }

    private static let mixed = #""bool": false, "int": 2, "float": 3.141592653589793, "string": "a lot of string""#

    private static let myType = """
        {"object": {"method": "org.varlink.certification.Test09", "parameters": {"map": {"foo": "Foo", "bar": "Bar"}}},
         "enum": "two", "struct": {"first": 1, "second": "2"}, "array": ["one", "two", "three"],
         "dictionary": {"foo": "Foo", "bar": "Bar"}, "stringset": {"one": {}, "two": {}, "three": {}}, "nullable": null,
         "nullable_array_struct": null,
         "interface": {"foo": [null, {"foo": "foo", "bar": "bar"}, null, {"one": "foo", "two": "bar"}],
         "anon": {"foo": true, "bar": false}}}
        """

    private static let texts = (1...10).map { "Reply number \($0)" }

    static let steps = [
        Step("Start"),
        Step("Test01", #"{"bool": true}"#),
        Step("Test02", #"{"int": 1}"#),
        Step("Test03", #"{"float": 1.0}"#),
        Step("Test04", #"{"string": "ping"}"#),
        Step("Test05", "{\(mixed)}"),
        Step("Test06", #"{"struct": {"# + mixed + "}}"),
        Step("Test07", #"{"map": {"foo": "Foo", "bar": "Bar"}}"#),
        Step("Test08", #"{"set": {"one": {}, "two": {}, "three": {}}}"#),
        Step("Test09", #"{"mytype": "# + myType + "}"),
        Step("Test10", more: true, replies: texts.map { #"{"string": "\#($0)"}"# }),
        Step("Test11", oneway: true),
        Step("End", #"{"all_ok": true}"#),
    ]

    /// The parameters that the step at `index` has to bring.
    static func parameters(at index: Int, client: String) throws(JSONError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if steps[index].method == "Test11" {
            members["last_more_replies"] = .array(texts.map(JSONValue.string))
        } else if index > 1, let reply = steps[index - 1].replies.first,
            case .object(let values) = try JSONValue(JSONBytes(reply))
        {
            members = values
        }
        if index > 0 { members["client_id"] = .string(client) }
        return .object(members)
    }

    static let interface = """
        interface org.varlink.certification

        type Interface (foo: ?[]?[string](foo, bar, baz), anon: (foo: bool, bar: bool))

        type MyType (
          object: object,
          enum: (one, two, three),
          struct: (first: int, second: string),
          array: []string,
          dictionary: [string]string,
          stringset: [string](),
          nullable: ?string,
          nullable_array_struct: ?[](first: int, second: string),
          interface: Interface
        )

        method Start() -> (client_id: string)
        method Test01(client_id: string) -> (bool: bool)
        method Test02(client_id: string, bool: bool) -> (int: int)
        method Test03(client_id: string, int: int) -> (float: float)
        method Test04(client_id: string, float: float) -> (string: string)
        method Test05(client_id: string, string: string) -> (bool: bool, int: int, float: float, string: string)
        method Test06(client_id: string, bool: bool, int: int, float: float, string: string) -> (
          struct: (bool: bool, int: int, float: float, string: string)
        )
        method Test07(client_id: string, struct: (bool: bool, int: int, float: float, string: string)) -> (
          map: [string]string
        )
        method Test08(client_id: string, map: [string]string) -> (set: [string]())
        method Test09(client_id: string, set: [string]()) -> (mytype: MyType)
        # Returns more than one reply.
        method Test10(client_id: string, mytype: MyType) -> (string: string)
        # Must be called as "oneway".
        method Test11(client_id: string, last_more_replies: []string) -> ()
        method End(client_id: string) -> (all_ok: bool)

        error ClientIdError ()
        error CertificationError (wants: object, got: object)

        """
}

/// Answers the calls of the certification. Loop only.
final class CertificationService: VarlinkHandler {
    /// The step that each client has to call next.
    private var next: [String: Int] = [:]
    private var clients = 0

    func handle(_ call: VarlinkCall) {
        do { try answer(call) } catch { call.fail(.invalidParameter(String(describing: error))) }
    }

    private func answer(_ call: VarlinkCall) throws(JSONError) {
        let method = String(call.method.dropFirst(Certification.name.count + 1))
        let got = try JSONValue(call.parameters)
        guard let called = Certification.steps.firstIndex(where: { $0.method == method }) else {
            return call.fail(.methodNotImplemented(call.method))
        }
        var client = ""
        if called == 0 {
            clients += 1
            client = "client-\(clients)"
            next[client] = 0
        } else if case .string(let name)? = got["client_id"] {
            client = name
        }
        guard let index = next[client] else { return call.fail(VarlinkError("\(Certification.name).ClientIdError")) }
        let step = Certification.steps[index]
        let parameters = try Certification.parameters(at: index, client: client)
        guard step.method == method, step.more == call.wantsMore, step.oneway == call.isOneway, got == parameters else {
            next[client] = nil
            return call.fail(
                CertificationService.error(
                    wants: CertificationService.message(step.method, parameters, more: step.more, oneway: step.oneway),
                    got: CertificationService.message(method, got, more: call.wantsMore, oneway: call.isOneway)))
        }
        next[client] = index + 1 < Certification.steps.count ? index + 1 : nil
        if index == 0 { return call.reply(JSONValue.object(["client_id": .string(client)]).bytes) }
        for (number, reply) in step.replies.enumerated() {
            call.reply(JSONBytes(reply), continues: number + 1 < step.replies.count)
        }
        if step.replies.isEmpty { call.reply() }
    }

    private static func message(_ method: String, _ parameters: JSONValue, more: Bool, oneway: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "method": .string("\(Certification.name).\(method)"), "parameters": parameters,
        ]
        if more { members["more"] = .bool(true) }
        if oneway { members["oneway"] = .bool(true) }
        return .object(members)
    }

    private static func error(wants: JSONValue, got: JSONValue) -> VarlinkError {
        VarlinkError(
            "\(Certification.name).CertificationError",
            parameters: JSONValue.object(["wants": wants, "got": got]).bytes)
    }
}
