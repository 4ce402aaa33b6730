// Where calls go, and org.varlink.service answered whole.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

private let text = """
    interface org.example.test
    method Ping(ping: string) -> (pong: string)
    method Watch() -> ()

    """

private func service() throws -> VarlinkService {
    VarlinkService(
        vendor: "V", product: "P \"q\"", version: "1", url: "https://example.org",
        interfaces: [try VarlinkInterface(parsing: text)], methodsThatNeedMore: ["org.example.test.Watch"])
}

private func route(_ method: String, _ parameters: String = "{}", more: Bool = false) throws -> VarlinkService.Route {
    try service().route(VarlinkCallMessage(method: method, parameters: JSONBytes(parameters), more: more))
}

@Suite struct VarlinkServiceTests {
    @Test func tellsAboutItself() throws {
        #expect(
            try route("org.varlink.service.GetInfo")
                == .reply(
                    JSONBytes(
                        #"{"vendor":"V","product":"P \"q\"","version":"1","url":"https://example.org","#
                            + #""interfaces":["org.varlink.service","org.example.test"]}"#)))
        for name in ["org.varlink.service", "org.example.test"] {
            guard
                case .reply(let reply) = try route(
                    "org.varlink.service.GetInterfaceDescription", "{\"interface\":\"\(name)\"}")
            else {
                Issue.record("\(name) has no description")
                continue
            }
            let description = try reply.read { (reader) throws(JSONError) in
                try reader.beginObject()
                _ = try reader.nextKey()
                let text = try reader.readString()
                _ = try reader.nextKey()
                return text
            }
            #expect(try VarlinkInterface(parsing: description).name == name)
            #expect(name != "org.example.test" || description == text)
        }
    }

    @Test func itsOwnInterfaceIsWhole() {
        let own = VarlinkService.ownInterface
        #expect(Set(own.methods.keys) == ["GetInfo", "GetInterfaceDescription"])
        #expect(
            Set(own.errors.keys) == [
                "InterfaceNotFound", "MethodNotFound", "MethodNotImplemented", "InvalidParameter", "PermissionDenied",
                "ExpectedMore",
            ])
        let errors: [VarlinkError] = [
            .interfaceNotFound("a"), .methodNotFound("a"), .methodNotImplemented("a"), .invalidParameter("a"),
            .permissionDenied, .expectedMore,
        ]
        for error in errors {
            let declaration = own.errors[String(error.name.dropFirst("org.varlink.service.".count))]
            #expect(declaration != nil)
            #expect(own.invalidField(in: error.parameters, declaredAs: declaration?.parameters ?? []) == nil)
        }
    }

    @Test func routes() throws {
        #expect(try route("org.example.test.Ping", "{\"ping\":\"x\"}") == .handler)
        #expect(try route("org.example.test.Watch", more: true) == .handler)
        #expect(try route("org.example.test.Watch") == .fail(.expectedMore))
        #expect(try route("org.example.test.Ping") == .fail(.invalidParameter("ping")))
        #expect(try route("org.example.test.Pong") == .fail(.methodNotFound("org.example.test.Pong")))
        #expect(try route("org.example.other.Ping") == .fail(.interfaceNotFound("org.example.other")))
        #expect(try route("Ping") == .fail(.methodNotFound("Ping")))
        #expect(try route("") == .fail(.methodNotFound("")))
        #expect(try route(".") == .fail(.interfaceNotFound("")))
        #expect(try route("org.varlink.service.Nothing") == .fail(.methodNotFound("org.varlink.service.Nothing")))
        #expect(
            try route("org.varlink.service.GetInterfaceDescription", "{\"interface\":\"a.b\"}")
                == .fail(.interfaceNotFound("a.b")))
        #expect(
            try route("org.varlink.service.GetInterfaceDescription") == .fail(.invalidParameter("interface")))
        #expect(try route("org.varlink.service.GetInfo", "{\"x\":1}") == .fail(.invalidParameter("x")))
    }
}
