// Addresses of Varlink services.
// SPDX-License-Identifier: Apache-2.0

/// Addresses of Varlink services on Unix sockets.
package enum VarlinkAddress {
    private static let prefix = "unix:"

    /// Returns the path in an address such as `unix:/run/example;mode=0600`, which other programs that speak Varlink take. Any other
    /// text is a path. One that begins with `unix:` can be written as `./unix:`.
    package static func path(_ text: String) -> String {
        guard text.hasPrefix(prefix) else { return text }
        return String(text.dropFirst(prefix.count).prefix { $0 != ";" })
    }
}
