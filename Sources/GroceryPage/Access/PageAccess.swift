// The decision which requests the server answers.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Decides by the header of a request whether the server answers it.
///
/// The address of the server does not protect it from other pages in the same browser. A page of another site can send
/// requests to it, and a name of another site can be made to point to it (DNS rebinding).
struct PageAccess: Sendable {
    /// The port, which is in the name of the cookie: browsers share cookies between the ports of a host.
    var port: Int
    /// The secret.
    let token: PageToken
    /// The host names of the server, in lower case, beside its addresses and `localhost`.
    let names: Set<String>

    var cookieName: String { "grocery-\(port)" }

    /// Returns the error for a request that came from elsewhere than the page, or nil.
    func refusal(_ head: HTTPRequestHead, isPage: Bool) -> PageError? {
        let hosts = head.headers["host"]
        guard hosts.count == 1, let host = hosts.first, let name = PageAccess.name(ofAuthority: host) else {
            return PageError(.badRequest, "badHost", "the request has no valid host")
        }
        // An address in place of a name cannot be rebound.
        guard name == "localhost" || names.contains(name) || PageAccess.isAddress(name) else {
            return PageError(
                .misdirectedRequest, "unknownHost",
                "this server is not \(name); 'grocery serve --host NAME' adds a name")
        }
        let origins = head.headers["origin"]
        guard origins.allSatisfy({ PageAccess.isOrigin($0, of: host) }) else { return .crossSite }
        // Browsers set this field themselves. A person who follows a link from another site opens the page only.
        if let site = head.headers.first(name: "sec-fetch-site"), site != "same-origin", site != "none" {
            let opens = isPage && head.method == .GET && head.headers.first(name: "sec-fetch-mode") == "navigate"
            guard opens else { return .crossSite }
        }
        return nil
    }

    /// Returns whether a request has the secret, in a cookie or as `Authorization: Bearer`.
    func isAuthorized(_ head: HTTPRequestHead) -> Bool {
        for value in head.headers["authorization"] {
            if value.lowercased().hasPrefix("bearer "), token.matches(value.dropFirst("bearer ".count)) { return true }
        }
        for cookie in head.headers["cookie"].flatMap({ $0.split(separator: ";") }) {
            let pair = cookie.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == cookieName else { continue }
            if token.matches(pair[1]) { return true }
        }
        return false
    }

    /// The field that gives the browser the secret for its next requests.
    func cookie(_ token: PageToken, isSecure: Bool) -> String {
        "\(cookieName)=\(token.text); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    // MARK: Parts of fields

    /// Returns the host of `host[:port]` in lower case, or nil if the text is not of this form.
    static func name(ofAuthority text: String) -> String? {
        var name = Substring(text)
        if name.first == "[" {
            guard let end = name.firstIndex(of: "]") else { return nil }
            guard isPort(name[name.index(after: end)...]) else { return nil }
            name = name[name.index(after: name.startIndex)..<end]
            guard name.contains(":") else { return nil }
        } else {
            let end = name.firstIndex(of: ":") ?? name.endIndex
            guard isPort(name[end...]) else { return nil }
            name = name[..<end]
        }
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        if name.last == "." { name.removeLast() }
        return name.isEmpty ? nil : name.lowercased()
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard text.first == ":" else { return text.isEmpty }
        return UInt16(text.dropFirst()) != nil
    }

    /// Returns whether a text is an address of IPv4 or IPv6.
    static func isAddress(_ text: String) -> Bool { (try? SocketAddress(ipAddress: text, port: 0)) != nil }

    /// Returns whether an origin (RFC 6454) is the page of this host. A proxy may have added the encryption.
    static func isOrigin(_ origin: String, of host: String) -> Bool {
        let (origin, host) = (origin.lowercased(), host.lowercased())
        return origin == "http://" + host || origin == "https://" + host
    }
}
