// Calls with the messages of our interfaces in place of bytes, at both ends.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension VarlinkClient {
    /// Calls `method` and returns its reply.
    package func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(VarlinkClientError) -> Method.Reply {
        try await call(Method.name, JSONBytes(request)).reply(of: method)
    }

    /// Calls `method` with `more`, at once; each element is decoded with ``JSONBytes/reply(of:)``.
    package func callMore<Method: VarlinkMethod>(_ method: Method.Type, _ request: Method.Request) -> VarlinkReplies {
        callMore(Method.name, JSONBytes(request))
    }
}

extension BlockingVarlinkClient {
    /// Calls `method` and returns its reply.
    package mutating func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) throws(VarlinkClientError) -> Method.Reply {
        try call(Method.name, JSONBytes(request)).reply(of: method)
    }
}

extension VarlinkCall {
    /// The parameters as the request of `method`; they have been checked against the interface already.
    package func request<Method: VarlinkMethod>(of method: Method.Type) throws(JSONError) -> Method.Request {
        try parameters.decode(Method.Request.self)
    }

    /// Sends a reply, which ends the call unless it `continues`.
    package func reply(_ message: some JSONMessage, continues: Bool = false) {
        var writer = JSONWriter()
        message.write(to: &writer)
        reply(writer, continues: continues)
    }

    /// Sends an error of an interface, which ends the call.
    package func fail(_ error: some InterfaceError) { fail(error.varlinkError) }
}

extension JSONBytes {
    /// Decodes the bytes as a reply of `method`; malformed bytes are a violation of the protocol.
    package func reply<Method: VarlinkMethod>(of method: Method.Type) throws(VarlinkClientError) -> Method.Reply {
        do throws(JSONError) { return try decode(Method.Reply.self) } catch { throw .violation(.malformed(error)) }
    }
}
