// The links that open the page.
// SPDX-License-Identifier: Apache-2.0

/// The links that open the page, for the terminal.
package struct PageLinks: Sendable, Hashable {
    /// The port of the server.
    package let port: Int
    /// The links, each with the secret, the likely one for a phone first.
    package let texts: [String]
    /// The links as lines. If the server listens on all addresses, each has the name of its device.
    package let lines: [String]

    /// - Parameters:
    ///   - address: The address on which the server listens.
    ///   - port: Its port.
    ///   - names: The host names that its user has given.
    ///   - token: The secret.
    ///   - addresses: The addresses of this machine that `0.0.0.0` or `::` stands for.
    init(
        address: String, port: Int, names: [String], token: PageToken,
        addresses: (_ withIPv6: Bool) -> [NetworkAddress] = {
            NetworkAddress.likely(NetworkAddress.all(withIPv6: $0), sources: NetworkAddress.sources())
        }
    ) {
        self.port = port
        // A browser does not send what follows `#`, so the secret is in no log of a proxy.
        func link(_ host: String) -> String {
            "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/#token=\(token.text)"
        }
        let found = ["0.0.0.0", "::"].contains(address) ? addresses(address == "::") : []
        let hosts = names + (found.isEmpty ? [address] : found.map(\.address))
        texts = hosts.map(link)
        lines = zip(texts, names.map { _ in nil } + (found.isEmpty ? [nil] : found.map(\.device))).map { text, device in
            device.map { "\(text)  \($0)" } ?? text
        }
    }
}
