// The answer to a request.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import Varlink

/// The answer to a request.
struct PageResponse: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer
    /// Whether the body goes on with the events of the list.
    var isEventStream = false
    /// Whether it gives the secret to a client that has shown it in the body.
    var opensList = false

    init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with JSON, which is never kept by caches.
    static func json(_ status: HTTPResponseStatus = .ok, _ body: (inout JSONWriter) -> Void) -> PageResponse {
        PageResponse(
            status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONBytes(body).buffer)
    }

    /// The start of an event stream (HTML Standard, section 9.2).
    static var eventStream: PageResponse {
        var response = PageResponse(
            .ok, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"])
        response.isEventStream = true
        return response
    }

    init(_ error: PageError) {
        self = .json(error.status) { writer in
            writer.beginObject()
            writer.field("error", error.code)
            writer.field("message", error.message)
            writer.endObject()
        }
        if !error.allowed.isEmpty {
            headers.add(name: "Allow", value: error.allowed.map(\.rawValue).joined(separator: ", "))
        }
        if error.status == .unauthorized { headers.add(name: "WWW-Authenticate", value: "Bearer") }
        if error.status == .serviceUnavailable { headers.add(name: "Retry-After", value: "2") }
    }

    /// The fields of every answer. They keep browsers from guessing types and from lending answers to other sites.
    static let commonHeaders: [(String, String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
