// The links that open the page.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The links that open the page, for the terminal.
package struct PageLinks: Sendable, Hashable {
    /// The port of the server.
    package let port: Int
    /// The links, each with the secret.
    package let texts: [String]

    init(address: String, port: Int, names: [String], token: PageToken) {
        self.port = port
        // A browser does not send what follows `#`, so the secret is in no log of a proxy.
        let suffix = ":\(port)/#token=\(token.text)"
        let hosts = names + PageLinks.addresses(for: address).map { $0.contains(":") ? "[\($0)]" : $0 }
        texts = hosts.map { "http://" + $0 + suffix }
    }

    /// Returns the address, or for `0.0.0.0` and `::` the addresses of this machine's devices that are not loopback.
    private static func addresses(for address: String) -> [String] {
        guard address == "0.0.0.0" || address == "::", let devices = try? System.enumerateDevices() else {
            return [address]
        }
        let all = devices.compactMap(\.address).filter { !PageServer.isLoopback($0) }
        let reachable = all.compactMap { device -> String? in
            guard let text = device.ipAddress, device.protocol == .inet || address == "::" else { return nil }
            // Link-local addresses of IPv6 need the name of a device, which browsers do not take.
            return text.lowercased().hasPrefix("fe80:") ? nil : text
        }
        return reachable.isEmpty ? [address] : reachable
    }
}
