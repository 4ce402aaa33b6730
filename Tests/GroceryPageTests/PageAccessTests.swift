// Which requests the server answers.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import NIOHTTP1
import Testing

@testable import GroceryPage

struct PageAccessTests {
    private let access = PageAccess(
        port: 8470, token: PageToken(text: "abcdefghijklmnopqrstuvwx")!, names: ["kitchen.lan"])

    private func status(_ fields: [(String, String)], _ method: HTTPMethod = .GET, isPage: Bool = false) -> UInt? {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: HTTPHeaders(fields))
        return access.refusal(head, isPage: isPage)?.status.code
    }

    @Test(arguments: [
        "127.0.0.1:8470", "localhost:8470", "LocalHost", "localhost.", "[::1]:8470", "192.168.1.5:8470", "[fe80::1]",
        "kitchen.lan", "Kitchen.LAN:80",
    ])
    func `Addresses and the names of the server are accepted`(_ host: String) {
        #expect(status([("Host", host)]) == nil)
    }

    @Test(arguments: ["evil.example:8470", "127.0.0.1.evil.example", "localhost.evil.example", "kitchen.lan.evil"])
    func `A name that was made to point here is refused`(_ host: String) {
        #expect(status([("Host", host)]) == 421)
    }

    @Test(arguments: ["", ":8470", "[::1", "[]", "localhost:x", "localhost:99999", "a b", "a/b", "[localhost]"])
    func `A host that is none is refused`(_ host: String) {
        #expect(status([("Host", host)]) == 400)
    }

    @Test func `A request has one host`() {
        #expect(status([]) == 400)
        #expect(status([("Host", "localhost"), ("Host", "localhost")]) == 400)
    }

    @Test(arguments: [
        ("http://localhost:8470", true), ("https://localhost:8470", true), ("HTTP://LOCALHOST:8470", true),
        ("http://localhost:8471", false), ("http://evil.example", false), ("null", false), ("localhost:8470", false),
        ("file://localhost:8470", false),
    ])
    func `Only the page itself may send changes`(_ origin: String, _ isAccepted: Bool) {
        #expect(status([("Host", "localhost:8470"), ("Origin", origin)], .POST) == (isAccepted ? nil : 403))
    }

    @Test func `A link on another site opens the page and nothing else`() {
        let link = [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
        #expect(status(link, isPage: true) == nil)
        #expect(status(link) == 403)
        #expect(status(link, .POST, isPage: true) == 403)
        for site in ["cross-site", "same-site"] {
            #expect(status([("Host", "localhost"), ("Sec-Fetch-Site", site)]) == 403)
        }
        #expect(status([("Host", "localhost"), ("Sec-Fetch-Site", "same-origin")]) == nil)
    }

    @Test(arguments: [
        ("Cookie", "grocery-8470=abcdefghijklmnopqrstuvwx", true),
        ("Cookie", "a=b; grocery-8470=abcdefghijklmnopqrstuvwx; c=d", true),
        ("Cookie", "grocery-8471=abcdefghijklmnopqrstuvwx", false),
        ("Cookie", "grocery-8470=abcdefghijklmnopqrstuvw", false),
        ("Cookie", "grocery-8470=abcdefghijklmnopqrstuvwxy", false), ("Cookie", "grocery-8470=", false),
        ("Cookie", "grocery-8470", false), ("Authorization", "Bearer abcdefghijklmnopqrstuvwx", true),
        ("Authorization", "Bearer ABCDEFGHIJKLMNOPQRSTUVWX", false),
        ("Authorization", "Basic abcdefghijklmnopqrstuvwx", false), ("Accept", "abcdefghijklmnopqrstuvwx", false),
    ])
    func `The secret is in the cookie of this port or in the authorization`(_ name: String, _ value: String, _ is: Bool)
    {
        #expect(
            access.isAuthorized(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: [name: value]))
                == `is`)
    }

    @Test func `A request without the secret is not authorized`() {
        #expect(!access.isAuthorized(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
    }

    @Test func `Tokens differ and can be kept as text`() throws {
        let tokens = Set((0..<100).map { _ in PageToken.random() })
        #expect(tokens.count == 100)
        for token in tokens {
            #expect(token.text.utf8.count == 32)
            #expect(PageToken(text: token.text) == token)
            #expect(token.matches(token.text))
            #expect(!token.matches(token.text.dropLast()))
            #expect(!token.matches(""))
        }
        for text in [
            "", "short", "has a blank in the middle of it", "ünïcode-ünïcode-ünïcode",
            String(repeating: "a", count: 999),
        ] {
            #expect(PageToken(text: text) == nil)
        }
    }

    @Test func `A server has an address and a port`() throws {
        let (list, token) = (MemoryList(), PageToken.random())
        for address in ["0.0.0.0", "::", "192.168.1.5", "fe80::1", "127.0.0.1", "127.8.8.8", "::1"] {
            _ = try PageServer(list: list, address: address, token: token) { _ in }
        }
        #expect(throws: PageServerError.self) {
            try PageServer(list: list, address: "localhost.example", token: token) { _ in }
        }
        #expect(throws: PageServerError.self) { try PageServer(list: list, port: 70_000, token: token) { _ in } }
    }

    @Test func `Links have the secret behind the number sign`() throws {
        let token = try #require(PageToken(text: "abcdefghijklmnopqrstuvwx"))
        #expect(
            PageLinks(address: "127.0.0.1", port: 80, names: [], token: token).texts == [
                "http://127.0.0.1:80/#token=abcdefghijklmnopqrstuvwx"
            ])
        #expect(
            PageLinks(address: "::1", port: 8470, names: ["kitchen.lan"], token: token).texts == [
                "http://kitchen.lan:8470/#token=abcdefghijklmnopqrstuvwx",
                "http://[::1]:8470/#token=abcdefghijklmnopqrstuvwx",
            ])
        #expect(!PageLinks(address: "0.0.0.0", port: 8470, names: [], token: token).texts.isEmpty)
    }
}
