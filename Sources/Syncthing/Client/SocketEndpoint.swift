// One end of a TCP connection.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// An address and a port of TCP. An address of IPv4 is v4-mapped (RFC 4291), since a dual-stack listener has it so.
struct SocketEndpoint: Hashable, Sendable {
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The 16 bytes of the address, in network byte order.
    let address: [UInt8]
    let port: UInt16

    /// Makes an end from the 4 or 16 bytes of an address; nil for any other number of bytes.
    init?(address: [UInt8], port: UInt16) {
        switch address.count {
        case 4: self.address = SocketEndpoint.mapped + address
        case 16: self.address = address
        default: return nil
        }
        self.port = port
    }

    /// Makes an end from an address of IPv4 or IPv6; nil for any other.
    init?(_ place: SocketAddress?) {
        guard let text = place?.ipAddress, let port = place?.port, let port = UInt16(exactly: port) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(address: Array(bytes.prefix(4)), port: port)
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(address: bytes, port: port)
        } else {
            return nil
        }
    }
}
