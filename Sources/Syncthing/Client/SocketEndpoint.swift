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

    /// The end as the kernel's tables have it: in that of IPv6, and for a v4-mapped address in that of IPv4. The address is words of 32
    /// bits in the byte order of the machine.
    var tableTexts: [String] {
        func text(_ bytes: some Collection<UInt8>) -> String {
            let bytes = Array(bytes)
            let words = stride(from: 0, to: bytes.count, by: 4).map { start in
                SocketEndpoint.digits(
                    bytes[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }, 8)
            }
            return words.joined() + ":" + SocketEndpoint.digits(UInt32(port), 4)
        }
        let isMapped = address.starts(with: SocketEndpoint.mapped)
        return [text(address)] + (isMapped ? [text(address.suffix(4))] : [])
    }

    private static func digits(_ number: UInt32, _ count: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
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
