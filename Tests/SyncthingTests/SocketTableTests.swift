// The kernel's tables of TCP sockets, as text.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import TestSupport
import Testing

@testable import Syncthing

struct SocketTableTests {
    private static let heading4 =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    /// A line as the kernel writes it.
    private static func line(
        _ local: String, _ remote: String, _ state: String = "01", user: UInt32 = 1000, inode: Int = 4711
    ) -> String {
        "  38: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000 "
            + String(repeating: " ", count: 5 - min(5, "\(user)".count))
            + "\(user)        0 \(inode) 1 000000007876b0a 20 0 0 10 -1\n"
    }

    /// An address in the words of the table: each of 32 bits, in the byte order of this machine.
    private static func words(_ bytes: [UInt8], _ port: UInt16) -> String {
        func hex(_ number: UInt32, _ count: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        let parts = stride(from: 0, to: bytes.count, by: 4).map { start in
            hex(bytes[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }, 8)
        }
        return parts.joined() + ":" + hex(UInt32(port), 4)
    }

    private static func endpoint(_ host: String, _ port: UInt16) throws -> SocketEndpoint {
        try #require(SocketEndpoint(try SocketAddress(ipAddress: host, port: Int(port))))
    }

    private static let loopback4: [UInt8] = [127, 0, 0, 1]
    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
    private static let mapped = [UInt8](repeating: 0, count: 10) + [255, 255, 127, 0, 0, 1]

    private func peer(_ text: String, host: String = "127.0.0.1") throws -> SocketTable.Peer {
        SocketTable(Array(text.utf8)).peer(
            at: try Self.endpoint(host, 8384), connectedTo: try Self.endpoint(host, 42_069))
    }

    @Test(arguments: [(loopback4, "127.0.0.1"), (loopback6, "::1"), (mapped, "127.0.0.1")])
    func theUserOfTheOtherEndIsFound(bytes: [UInt8], host: String) throws {
        let (there, here) = (Self.words(bytes, 8384), Self.words(bytes, 42_069))
        let none = Self.words(bytes.map { _ in 0 }, 0)
        let text =
            Self.heading4 + Self.line(there, none, "0A", user: 1) + Self.line(here, there, user: 2)
            + Self.line(there, Self.words(bytes, 42_070), user: 3) + Self.line(Self.words(bytes, 8385), here, user: 4)
            + Self.line(there, here, user: 4_294_967_294) + Self.line(there, here, "06", user: 5, inode: 0)
        #expect(try peer(text, host: host) == .user(4_294_967_294))
    }

    /// The words of a machine that stores the lowest byte first.
    @Test(.enabled(if: UInt32(1).littleEndian == 1)) func wordsHaveTheByteOrderOfTheMachine() throws {
        #expect(SocketTable.endpoint(ArraySlice("0100007F:20C0".utf8)) == (try Self.endpoint("127.0.0.1", 8384)))
        #expect(
            SocketTable.endpoint(ArraySlice("0000000000000000FFFF00000100007F:20C0".utf8))
                == (try Self.endpoint("127.0.0.1", 8384)))
        #expect(
            SocketTable.endpoint(ArraySlice("B80D01200000000067452301EFCDAB89:0050".utf8))
                == (try Self.endpoint("2001:db8::123:4567:89ab:cdef", 80)))
    }

    /// Before accept(2) the kernel says root, whoever listens.
    @Test(arguments: ["01", "03"]) func aConnectionThatIsNotAcceptedHasNoUser(state: String) throws {
        let (there, here) = (Self.words(Self.loopback4, 8384), Self.words(Self.loopback4, 42_069))
        #expect(try peer(Self.heading4 + Self.line(there, here, state, user: 0, inode: 0)) == .waiting)
    }

    @Test func otherStatesAndLinesThatAreCutAreNoSockets() throws {
        let (there, here) = (Self.words(Self.loopback4, 8384), Self.words(Self.loopback4, 42_069))
        for state in ["02", "04", "05", "06", "07", "08", "09", "0A", "0B", "XX", "-1", "+01"] {
            #expect(try peer(Self.line(there, here, state)) == .absent, "\(state)")
        }
        let whole = Self.line(there, here)
        let column = whole.utf8.count - "11 000000007876b0a 20 0 0 10 -1\n".utf8.count
        for length in 0..<column - 4 { #expect(try peer(String(whole.prefix(length))) == .absent, "\(length)") }
        for text in ["", "\n", "\0\0", String(repeating: "a ", count: 1000), whole.replacing("1000", with: "-1")] {
            #expect(try peer(text) == .absent)
        }
        for text in [
            "", ":", "0100007F", "0100007F:", "0100007F:20C", "0100007F:20C0:1", "+100007F:20C0", "0100007G:20C0",
        ] {
            #expect(SocketTable.endpoint(ArraySlice(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func tablesThatCannotBeReadAreToldOnlyWhereNoneCan() throws {
        let (own, other) = (try Self.endpoint("127.0.0.1", 1), try Self.endpoint("127.0.0.1", 2))
        #expect(throws: SyncthingError.self) {
            try PeerCheck.find(own, connectedTo: other, in: ["/nowhere/tcp", "/nowhere/tcp6"])
        }
        #expect(try PeerCheck.find(own, connectedTo: other, in: ["/proc/self/net/tcp", "/nowhere/tcp6"]) == .absent)
    }
}
