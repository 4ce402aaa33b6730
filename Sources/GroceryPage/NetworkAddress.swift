// The addresses of this machine, the likely one for a phone first.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroceryModel
internal import NIOCore

/// An address of a network device of this machine.
struct NetworkAddress: Sendable, Hashable {
    let device: String
    let address: String
    /// Whether the kernel calls the device a tunnel, whatever its name.
    var isTunnel = false

    /// The beginnings of the names of devices that lead to containers, virtual machines and VPNs.
    private static let virtualNames = [
        "docker", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxcbr", "lxdbr", "incusbr", "podman", "cni",
        "cali", "flannel", "kube", "tun", "tap", "utun", "wg", "ppp", "ipsec", "vpn", "tailscale", "zt", "nebula",
        "nordlynx", "proton", "mullvad", "wt0",
    ]

    private var isLinkLocal: Bool {
        // fe80::/10 (RFC 4291) and 169.254.0.0/16 (RFC 3927).
        address.hasPrefix("169.254.") || address.contains(":") && "89ab".contains { address.hasPrefix("fe\($0)") }
    }

    /// Whether it leads to a network of Docker: `br-` and the beginning of its identifier. Other bridges, such as `br-lan`, are this
    /// machine's way to its own network.
    private var isOfDocker: Bool {
        let parts = device.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "br" && parts[1].count == 12 && parts[1].allSatisfy(\.isHexDigit)
    }

    private var isVirtual: Bool {
        isTunnel || NetworkAddress.virtualNames.contains { device.hasPrefix($0) } || isOfDocker
    }

    /// Returns the addresses under which a phone may reach this machine: first the one by which this machine reaches others, then those
    /// of IPv4. Virtual and link-local ones are left out, unless there is no other.
    ///
    /// - Parameters:
    ///   - all: The addresses of all devices.
    ///   - sources: The addresses by which this machine reaches others.
    static func likely(_ all: [NetworkAddress], sources: [String]) -> [NetworkAddress] {
        // Browsers do not take the name of a device, which a link-local address of IPv6 needs.
        let usable = all.filter { !($0.isLinkLocal && $0.address.contains(":")) }
        let steps: [(NetworkAddress) -> Bool] = [
            { !$0.isVirtual && !$0.isLinkLocal }, { !$0.isLinkLocal }, { _ in true },
        ]
        let found = steps.lazy.map { usable.filter($0) }.first { !$0.isEmpty } ?? []
        func rank(_ address: NetworkAddress) -> Int {
            (sources.contains(address.address) ? 0 : 2) + (address.address.contains(":") ? 1 : 0)
        }
        return found.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(
            \.element)
    }

    /// Returns the addresses of this machine's devices that are not loopback. Those of IPv6 only for a server that listens on them.
    static func all(withIPv6: Bool) -> [NetworkAddress] {
        guard let devices = try? System.enumerateDevices() else { return [] }
        return devices.compactMap { device in
            guard let address = device.address, !PageServer.isLoopback(address), let text = address.ipAddress,
                address.protocol == .inet || withIPv6 && address.protocol == .inet6
            else { return nil }
            return NetworkAddress(device: device.name, address: text.lowercased(), isTunnel: isTunnel(device.name))
        }
    }

    /// Returns whether a device is a tunnel, such as of tun, WireGuard or PPP: the type ARPHRD_NONE or ARPHRD_PPP (linux/if_arp.h).
    private static func isTunnel(_ device: String) -> Bool {
        let folder = "/sys/class/net/\(device)/"
        let type = (try? FileSystem.read(folder + "type", limit: 16)) ?? []
        return access(folder + "tun_flags", F_OK) == 0 || ["65534\n", "512\n"].contains { type.elementsEqual($0.utf8) }
    }

    /// Returns the addresses by which this machine would reach others, of IPv4 and IPv6. The kernel chooses them for a socket of UDP,
    /// which sends nothing until it is written to. The destinations are for documentation (RFC 5737, RFC 3849).
    static func sources() -> [String] {
        ["192.0.2.1", "2001:db8::1"].compactMap { destination in
            guard let address = try? SocketAddress(ipAddress: destination, port: 9) else { return nil }
            let descriptor = socket(
                address.protocol == .inet ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard address.withSockAddr({ connect(descriptor, $0, socklen_t($1)) }) == 0 else { return nil }
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let own = withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            guard own == 0 else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let code = withUnsafePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getnameinfo($0, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                }
            }
            return code == 0
                ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }
}
