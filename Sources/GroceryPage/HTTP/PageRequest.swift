// A request whose header and body have been received.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import NIOCore
internal import NIOHTTP1

/// A request whose header and body have been received.
struct PageRequest: Sendable {
    let head: HTTPRequestHead
    var body = ByteBuffer()
    /// The place of the body in the limit for all bodies.
    let share: BodyBudget.Share
    /// The parts of the path without the empty one before the first slash.
    let path: [String]
    /// The values of the query, percent-decoded.
    let query: [String: String]

    /// Returns nil if the target is not a path, or its escapes are invalid.
    init?(_ head: HTTPRequestHead, share: BodyBudget.Share) {
        self.head = head
        self.share = share
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let target = parts.first, target.first == "/" else { return nil }
        var path: [String] = []
        for part in target.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = PageRequest.decoded(part) else { return nil }
            path.append(text)
        }
        self.path = path == [""] ? [] : path
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PageRequest.decoded(sides[0]),
                let value = PageRequest.decoded(sides.count > 1 ? sides[1] : "")
            else { return nil }
            query[name] = value
        }
        self.query = query
    }

    var method: HTTPMethod { head.method }

    /// The type of the body in lower case, without parameters.
    var contentType: String? {
        guard let field = head.headers.first(name: "content-type") else { return nil }
        let type = field.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        return type.filter { $0 != " " }.lowercased()
    }

    /// The identifier that a browser has chosen for its changes; nil if it has sent none, or one that is too long or of other characters.
    var browser: String? {
        guard let text = head.headers.first(name: "x-grocery-browser"), !text.isEmpty,
            text.utf8.count <= GroceryLimits.browserBytes,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || PageRequest.isLetterOrDigit($0) })
        else { return nil }
        return text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
    }

    /// Returns whether the client has this version of a resource already.
    func hasVersion(_ tag: String) -> Bool {
        head.headers[canonicalForm: "if-none-match"].contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
    }

    /// Replaces the escapes of a part of a target (RFC 3986, section 2.1). Returns nil if they are not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
