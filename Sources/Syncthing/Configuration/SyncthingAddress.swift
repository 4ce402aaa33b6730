// The address of Syncthing's REST interface.
// SPDX-License-Identifier: Apache-2.0

/// The address at which Syncthing serves its REST interface on this machine.
package enum SyncthingAddress: Sendable, Hashable, CustomStringConvertible {
    case unix(path: String)
    /// A port of a loopback address.
    case loopback(host: String, port: Int)

    package var description: String {
        switch self {
        case .unix(let path): path
        case .loopback(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// Reads the address as Syncthing's configuration has it: a path, `unix://PATH`, or `HOST:PORT`. Nil for an
    /// address that this machine cannot be reached at without a network.
    package init?(text: String) {
        let text = text.hasPrefix("unix://") ? String(text.dropFirst(7)) : text
        if text.hasPrefix("/") {
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        switch text[..<colon] {
        // An interface that listens on all addresses listens on loopback too.
        case "127.0.0.1", "localhost", "0.0.0.0", "", "[::]": self = .loopback(host: "127.0.0.1", port: Int(port))
        case "[::1]": self = .loopback(host: "::1", port: Int(port))
        default: return nil
        }
    }
}
