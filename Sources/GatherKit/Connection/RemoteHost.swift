// The name of another machine.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Another machine with a daemon, which is reached through ssh(1).
///
/// ```swift
/// guard let host = RemoteHost("alice@attic:2222") else { return }
/// let client = GatherClient(daemon: .on(host))
/// ```
public struct RemoteHost: Sendable, Hashable, CustomStringConvertible {
    /// The text that the host was made from.
    public let description: String
    /// The user and the host as ssh(1) takes them.
    let destination: String
    let port: String?

    /// The beginning of a command line that runs a command there.
    package var shellWords: String { "ssh \(port.map { "-p \($0) " } ?? "")\(ShellText.quoted(destination))" }

    /// Makes a host from `[USER@]HOST[:PORT]`. HOST is a name, an alias of `~/.ssh/config`, or an address; an IPv6 address with a
    /// port stands in brackets. Nil for other text.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        let start = text.lastIndex(of: "@").map { text.index(after: $0) } ?? text.startIndex
        let (user, place) = (text[..<start], text[start...])
        var (host, port): (Substring, Substring?) = (place, nil)
        if place.hasPrefix("[") {
            guard let end = place.firstIndex(of: "]") else { return nil }
            host = place[place.index(after: place.startIndex)..<end]
            // Brackets around a name are the heading of a group in an inventory.
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &address) == 1 else { return nil }
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = place.firstIndex(of: ":"), colon == place.lastIndex(of: ":") {
            (host, port) = (place[..<colon], place[place.index(after: colon)...])
        }
        // A hyphen in front would make it an option.
        guard !host.isEmpty, !host.hasPrefix("-"), !text.hasPrefix("-"), user != "@" else { return nil }
        if let port {
            guard let number = UInt16(port), number > 0 else { return nil }
        }
        description = text
        destination = String(user + host)
        self.port = port.map { String($0) }
    }
}
