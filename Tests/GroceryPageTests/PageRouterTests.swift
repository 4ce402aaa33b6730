// The routes, through real connections to a list in memory.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroceryModel
import Testing

@testable import GroceryPage

struct PageRouterTests {
    private static let id = "0B6E4C4E-6A5B-4E0C-9C4B-1D2E3F405162"

    @Test func `The page runs its own script only, and is not sent twice`() async throws {
        try await TestServer.with { server async throws in
            let page = try await server.send("GET", "/")
            #expect(page.status == 200)
            #expect(page.field("content-type") == "text/html; charset=utf-8")
            let policy = try #require(page.field("content-security-policy"))
            let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([\w-]+)'/)?.1)
            #expect(policy.contains("default-src 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(page.body.matches(of: /<script/).count == page.body.matches(of: /<script nonce="/).count)
            #expect(page.body.contains("<script nonce=\"\(nonce)\">"))
            #expect(!page.body.contains("@NONCE@") && !page.body.contains("@VERSION@"))
            let tag = try #require(page.field("etag"))
            #expect(try await server.send("GET", "/", headers: ["If-None-Match": tag]).status == 304)
            #expect(try await server.send("GET", "/", headers: ["If-None-Match": "\"x\""]).status == 200)
            let head = try await server.send("HEAD", "/")
            #expect(
                head.status == 200 && head.body.isEmpty && head.field("content-length") == page.field("content-length"))
            #expect(try await server.send("GET", "/sw.js").field("content-type") == "text/javascript; charset=utf-8")
            #expect(try await server.send("GET", "/manifest.webmanifest").status == 200)
        }
    }

    @Test func `Addresses and methods that do not exist are told apart`() async throws {
        try await TestServer.with { server async throws in
            for path in ["/x", "/api", "/api/items/x", "/api/items/\(PageRouterTests.id)/x", "/../etc/passwd", "//"] {
                #expect(try await server.send("GET", path).status == 404, "\(path)")
            }
            let wrong = try await server.send("DELETE", "/api/items")
            #expect(wrong.status == 405)
            #expect(wrong.field("allow") == "GET, POST")
            #expect(try await server.send("OPTIONS", "/api/items").status == 405)
            #expect(try await server.send("GET", "/api/items/\(PageRouterTests.id)").status == 404)
        }
    }

    @Test func `Changes need JSON and come from the page`() async throws {
        try await TestServer.with { server async throws in
            let body = #"{"id":"\#(PageRouterTests.id)","mine":{"name":"Milk"}}"#
            for type in ["text/plain", "application/x-www-form-urlencoded", "-"] {
                #expect(
                    try await server.send("POST", "/api/items", body, headers: ["Content-Type": type]).status == 415)
            }
            #expect(
                try await server.send("POST", "/api/items", body, headers: ["Origin": "http://evil.example"]).status
                    == 403)
            #expect(try await server.send("POST", "/api/items", body, headers: ["Host": "evil.example"]).status == 421)
            #expect(server.list.calls.isEmpty)
            #expect(try await server.send("POST", "/api/items", body).status == 201)
        }
    }

    @Test func `Bodies that are not understood change nothing`() async throws {
        try await TestServer.with { server async throws in
            for body in [
                "", "{", "[]", "{}", #"{"id":"x","mine":{"name":"Milk"}}"#, #"{"id":"\#(PageRouterTests.id)"}"#,
                #"{"id":"\#(PageRouterTests.id)","mine":{"name":7}}"#, #"{"id":"\#(PageRouterTests.id)","mine":{}}"#,
                #"{"change":"","id":"\#(PageRouterTests.id)","mine":{"name":"Milk"}}"#,
                #"{"change":"\#(String(repeating: "x", count: 65))","id":"\#(PageRouterTests.id)","mine":{"name":"Milk"}}"#,
                String(repeating: "[", count: 10_000),
            ] {
                let answer = try await server.send("POST", "/api/items", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.body.contains("\"message\":"))
            }
            #expect(server.list.calls.isEmpty)
        }
    }

    @Test func `A list opens with the link only, on this machine too`() async throws {
        let token = PageToken.random()
        try await TestServer.with(token: token) { server async throws in
            let none = ["Authorization": "-"]
            #expect(server.links.texts == ["http://127.0.0.1:\(server.port)/#token=\(token.text)"])
            #expect(try await server.send("GET", "/").status == 200)
            for path in ["/api/items", "/events", "/api/contents"] {
                #expect(try await server.send("GET", path, headers: none).status == 401)
            }
            let addition = #"{"id":"\#(PageRouterTests.id)","mine":{"name":"Milk"}}"#
            #expect(try await server.send("POST", "/api/items", addition, headers: none).status == 401)
            #expect(server.list.calls.isEmpty)
            #expect(
                try await server.send("POST", "/api/session", #"{"token":"wrong"}"#, headers: none).status == 401)
            #expect(try await server.send("POST", "/api/session", "{}", headers: none).status == 401)
            let session = try await server.send(
                "POST", "/api/session", #"{"token":"\#(token.text)"}"#, headers: none)
            #expect(session.status == 204)
            let cookie = try #require(session.field("set-cookie"))
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let pair = String(cookie.prefix { $0 != ";" })
            let signedIn = ["Authorization": "-", "Cookie": pair]
            #expect(try await server.send("GET", "/api/items", headers: signedIn).status == 200)
            #expect(
                try await server.send("GET", "/api/items", headers: ["Authorization": "Bearer \(token.text)"]).status
                    == 200)
        }
    }

    @Test func `A link and its cookie open the list after a restart of the server`() async throws {
        let folder = NSTemporaryDirectory() + "grocery-page-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/token"
        // The link, the port and the cookie of the first server.
        var former: (links: PageLinks, cookie: String)?
        try await TestServer.with(token: PageTokenFile.token(at: file)) { server async throws in
            let session = try await server.send("POST", "/api/session", #"{"token":"\#(server.token.text)"}"#)
            former = (server.links, String(try #require(session.field("set-cookie")).prefix { $0 != ";" }))
        }
        let (links, cookie) = try #require(former)
        try await TestServer.with(token: PageTokenFile.token(at: file), port: links.port) { server async throws in
            #expect(server.links == links)
            let signedIn = ["Authorization": "-", "Cookie": cookie]
            #expect(try await server.send("GET", "/api/items", headers: signedIn).status == 200)
        }
        try await TestServer.with(token: PageTokenFile.token(at: file, isNew: true), port: links.port) {
            server async throws in
            let signedIn = ["Authorization": "-", "Cookie": cookie]
            #expect(try await server.send("GET", "/api/items", headers: signedIn).status == 401)
        }
    }

    /// With the secret, so that the host and the origin alone decide. The page has no WebSocket, and a server without one must
    /// not open one either.
    @Test(arguments: ["/", "/events", "/api/items", "/sw.js"])
    func `Streams and WebSockets are opened by the page alone`(_ path: String) async throws {
        try await TestServer.with { server async throws in
            let webSocket = [
                "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            ]
            for upgrade in [[:], webSocket] {
                func status(_ fields: [String: String]) async throws -> Int {
                    try await server.send("GET", path, headers: upgrade.merging(fields) { $1 }).status
                }
                #expect(try await status(["Host": "evil.example:\(server.port)"]) == 421)
                #expect(try await status(["Host": "-"]) == 400)
                for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
                    #expect(try await status(["Origin": origin]) == 403)
                }
                #expect(try await status(["Sec-Fetch-Site": "cross-site"]) == 403)
            }
            // A stream does not end, so its first line is enough.
            let own = "http://127.0.0.1:\(server.port)"
            let fields = webSocket.map { "\($0.key): \($0.value)\r\n" }.joined()
            let answer = try await RawClient.exchange(
                server.port,
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nOrigin: \(own)\r\n"
                    + "Authorization: Bearer \(server.token.text)\r\n\(fields)\r\n",
                isEnough: { $0.contains("\r\n\r\n") })
            #expect(answer.status == 200)
        }
    }

    @Test func `An addition that is sent twice adds one item`() async throws {
        try await TestServer.with { server async throws in
            let id = PageRouterTests.id
            let body = #"{"change":"c1","id":"\#(id)","mine":{"name":"Flour","quantity":"2 kg","tags":["market"]}}"#
            let first = try await server.send("POST", "/api/items", body)
            #expect(first.status == 201)
            // The same request again, and the same item by another request, as after a restart of the server.
            #expect(try await server.send("POST", "/api/items", body).status == 200)
            let again = try await server.send("POST", "/api/items", body.replacing("c1", with: "c2"))
            #expect(again.status == 200 && again.body.contains("\"unchanged\""))
            #expect(server.list.calls == ["add Flour"])
            // A late repetition does not bring back an item that was removed.
            try await server.list.remove([#require(ItemIdentifier(text: id))])
            #expect(try await server.send("POST", "/api/items", body).body == #"{"id":"\#(id)"}"#)
            #expect(try await server.list.items().isEmpty)
        }
    }

    @Test func `Edits of different fields merge`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk") { $0.note = "oat" }
            let rename = #"{"base":{"name":"Milk","bought":false},"mine":{"name":"Oat milk"}}"#
            let tick = #"{"base":{"name":"Milk","bought":false},"mine":{"bought":true}}"#
            #expect(try await server.send("PUT", "/api/items/\(id)", rename).body.contains("\"saved\""))
            #expect(try await server.send("PUT", "/api/items/\(id)", tick).status == 200)
            let contents = try await server.contents(id)
            #expect(contents.name == "Oat milk" && contents.isBought && contents.note == "oat")
            #expect(try await server.list.items().first?.conflictVersions == 0)
        }
    }

    @Test func `Edits of one field make a conflict, which the page resolves`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            for name in ["Oat milk", "Soy milk"] {
                let body = #"{"base":{"name":"Milk"},"mine":{"name":"\#(name)"}}"#
                let outcome = name == "Oat milk" ? "saved" : "conflict"
                #expect(try await server.send("PUT", "/api/items/\(id)", body).body.contains("\"\(outcome)\""))
            }
            let versions = try await server.send("GET", "/api/items/\(id)/versions").body
            #expect(versions.contains("Soy milk") && versions.contains("Oat milk") && !versions.contains("/list/"))
            let name = try #require(versions.firstMatch(of: /"version":"(Item\.sync[^"]*)"/)?.1)
            let path = "/api/items/\(id)/resolve"
            #expect(try await server.send("POST", path, #"{"keep":"version","version":"gone"}"#).status == 409)
            #expect(try await server.send("POST", path, #"{"keep":"nothing"}"#).status == 400)
            #expect(try await server.send("POST", path, #"{"keep":"version","version":"\#(name)"}"#).status == 200)
            #expect(try await server.contents(id).name == "Oat milk")
            let merged = #"{"keep":"merged","mine":{"name":"Oat milk","quantity":"2 l"}}"#
            #expect(try await server.send("POST", path, merged).body.contains("2 l"))
            #expect(try await server.send("POST", path, #"{"keep":"both"}"#).status == 200)
        }
    }

    @Test func `A repeated edit does not undo what came after it`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            let tick = #"{"change":"c1","base":{"bought":false},"mine":{"bought":true}}"#
            _ = try await server.send("PUT", "/api/items/\(id)", tick)
            _ = try await server.send("PUT", "/api/items/\(id)", #"{"base":{"bought":true},"mine":{"bought":false}}"#)
            let repeated = try await server.send("PUT", "/api/items/\(id)", tick)
            // The answer has the item as it is now.
            #expect(repeated.body.contains(#""bought":false"#))
            #expect(try await server.contents(id).isBought == false)
        }
    }

    @Test func anEditOfAnItemThatWasRemovedMeanwhileIsAQuestion() async throws {
        try await TestServer.with { server async throws in
            let base = #"{"name":"Milk","quantity":"1 l","bought":false,"tags":["market"]}"#
            let path = "/api/items/\(PageRouterTests.id)"
            let asked = try await server.send("PUT", path, #"{"base":\#(base),"mine":{"bought":true}}"#)
            #expect(asked.status == 410)
            #expect(asked.body == #"{"error":"removed","message":"Milk was removed meanwhile"}"#)
            #expect(try await server.list.items().isEmpty && server.list.calls.isEmpty)
            // The person says yes.
            let body = #"{"change":"c1","bringBack":true,"base":\#(base),"mine":{"bought":true}}"#
            #expect(try await server.send("PUT", path, body).status == 200)
            #expect(server.list.calls.first == "bring back")
            #expect(try await server.contents(PageRouterTests.id).isBought)
            let unknown = #"{"base":{},"mine":{"bought":true}}"#
            #expect(try await server.send("PUT", "/api/items/\(ItemIdentifier.random().text)", unknown).status == 404)
        }
    }

    @Test func anUndoTakesBackTheChangeThatWasShown() async throws {
        try await TestServer.with { server async throws in
            #expect(try await server.send("GET", "/api/undo").body == "{}")
            _ = try await server.item("Milk")
            let shown = try await server.send("GET", "/api/undo").body
            #expect(shown == #"{"key":"0","action":"add Milk"}"#)
            _ = try await server.item("Bread")
            let other = try await server.send("POST", "/api/undo", #"{"undo":\#(shown)}"#)
            #expect(other.status == 409, "\(other.body)")
            let last = try await server.send("GET", "/api/undo").body
            let undone = try await server.send("POST", "/api/undo", #"{"undo":\#(last)}"#)
            #expect(undone.body == #"{"undone":"add Bread","leftOut":["one step"]}"#)
        }
    }

    @Test func browsersAreKnownByTheirIdentifiers() async throws {
        try await TestServer.with { server async throws in
            for browser in ["A-1", "b2", "", "a/b", "..", "a b", String(repeating: "x", count: 41)] {
                #expect(
                    try await server.send("GET", "/api/undo", headers: ["X-Grocery-Browser": browser]).status == 200)
            }
            #expect(server.list.browsers == ["A-1", "b2", "unnamed"])
        }
    }

    @Test func `An item that is removed right after its edit is no error of the edit`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            let body = #"{"base":{"name":"Milk"},"mine":{"name":"\#(MemoryList.fleeting)"}}"#
            let response = try await server.send("PUT", "/api/items/\(id)", body)
            #expect(response.status == 200)
            #expect(response.body == #"{"id":"\#(id)"}"#)
        }
    }

    @Test func `Items that are gone are no error of a removal`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            let body = #"{"ids":["\#(id)","\#(PageRouterTests.id)"]}"#
            #expect(try await server.send("POST", "/api/remove", body).body == #"{"removed":["\#(id)"]}"#)
            #expect(try await server.send("POST", "/api/remove", body).body == #"{"removed":[]}"#)
            #expect(try await server.send("POST", "/api/undo", "{}").status == 200)
        }
    }

    @Test func `Pictures are kept, and shown as pictures only`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            let path = "/api/items/\(id)/picture"
            #expect(try await server.send("GET", path).status == 404)
            #expect(
                try await server.send("PUT", path, "<svg/>", headers: ["Content-Type": "image/svg+xml"]).status == 415)
            #expect(try await server.send("PUT", path, "<svg/>", headers: ["Content-Type": "image/png"]).status == 422)
            let picture = "GIF89a and more"
            #expect(
                try await server.send("PUT", path + "?change=p1", picture, headers: ["Content-Type": "image/gif"])
                    .status == 200)
            for change in ["", String(repeating: "a", count: 65)] {
                let type = ["Content-Type": "image/gif"]
                #expect(try await server.send("PUT", path + "?change=" + change, picture, headers: type).status == 400)
            }
            let answer = try await server.send("GET", path + "?v=1")
            #expect(answer.body == picture)
            #expect(answer.field("content-type") == "image/gif")
            let tag = try #require(answer.field("etag"))
            #expect(try await server.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
            // A file that another program put there.
            try await server.list.setPicture(
                Array("<script>alert(1)</script>".utf8), of: #require(ItemIdentifier(text: id)))
            let foreign = try await server.send("GET", path)
            #expect(foreign.field("content-type") == "application/octet-stream")
            #expect(foreign.field("content-disposition") == "attachment")
            #expect(foreign.field("content-security-policy") == "default-src 'none'; sandbox")
            #expect(try await server.send("DELETE", path, "{}").status == 200)
            #expect(try await server.send("GET", path).status == 404)
        }
    }

    @Test func `All contents come in one answer`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk") { $0.note = "a \"note\"\nof two lines" }
            let body = try await server.send("GET", "/api/contents").body
            #expect(body.contains("\"\(id)\":{\"name\":\"Milk\""))
            #expect(body.contains(#""note":"a \"note\"\nof two lines""#))
        }
    }
}
