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

    @Test func `The likely address comes first, and those that no phone reaches are left out`() throws {
        func likely(_ all: [(String, String)], _ sources: String...) -> [String] {
            NetworkAddress.likely(all.map { NetworkAddress(device: $0.0, address: $0.1) }, sources: sources)
                .map { "\($0.device) \($0.address)" }
        }
        let home = [
            ("docker0", "172.17.0.1"), ("br-0123456789ab", "172.18.0.1"), ("eth0", "192.168.7.5"),
            ("eth0", "fe80::1"), ("usb0", "169.254.3.4"), ("wlan0", "192.168.1.5"), ("wlan0", "fd00::5"),
            ("wg0", "10.8.0.2"), ("tailscale0", "100.64.0.1"), ("tun0", "10.9.0.2"), ("virbr0", "192.168.122.1"),
        ]
        #expect(
            likely(home, "192.168.1.5", "fd00::5") == [
                "wlan0 192.168.1.5", "wlan0 fd00::5", "eth0 192.168.7.5",
            ])
        // A bridge of this machine is its way to the network at home; those of Docker have an identifier.
        for name in ["br-lan", "br-home", "br-0123456789a", "br-0123456789abc", "br-0123456789xy", "br0"] {
            let all = [("eth0", "10.0.0.2"), (name, "192.168.1.1")]
            #expect(likely(all, "192.168.1.1").first == "\(name) 192.168.1.1")
        }
        // A VPN that carries everything is no way for a phone.
        #expect(likely(home, "10.8.0.2") == ["eth0 192.168.7.5", "wlan0 192.168.1.5", "wlan0 fd00::5"])
        // Alone they are told.
        #expect(likely([("docker0", "172.17.0.1"), ("eth0", "169.254.3.4")]) == ["docker0 172.17.0.1"])
        #expect(likely([("eth0", "169.254.3.4"), ("eth0", "fe80::1")]) == ["eth0 169.254.3.4"])
        #expect(likely([("eth0", "febf::1")]).isEmpty)
        let tunnel = NetworkAddress(device: "work", address: "10.1.1.1", isTunnel: true)
        let wire = NetworkAddress(device: "enp3s0", address: "10.0.0.2")
        #expect(NetworkAddress.likely([tunnel, wire], sources: ["10.1.1.1"]) == [wire])
        #expect(NetworkAddress.likely([tunnel], sources: []) == [tunnel])
        let token = try #require(PageToken(text: "abcdefghijklmnopqrstuvwx"))
        let links = PageLinks(address: "0.0.0.0", port: 80, names: ["a.lan"], token: token) { _ in [wire] }
        #expect(
            links.lines == [
                "http://a.lan:80/#token=abcdefghijklmnopqrstuvwx",
                "http://10.0.0.2:80/#token=abcdefghijklmnopqrstuvwx  enp3s0",
            ])
    }
}
