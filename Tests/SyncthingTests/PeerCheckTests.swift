// The user at the other end of a connection is checked before the key is sent.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Syncthing

struct PeerCheckTests {
    static let places: [FakeSyncthing.Place] = hasIPv6 ? FakeSyncthing.Place.allCases : [.unix, .port]
    private static let ports = places.filter { $0 != .unix }
    /// A user that this process is not.
    private static let other: UInt32 = 41_001

    private static var hasIPv6: Bool {
        let descriptor = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        } == 0
    }

    private static let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"]

    /// Asks for the version; nil if that works.
    private func failure(
        _ address: SyncthingAddress, users: Set<UInt32>, tables: [String] = tables,
        acceptTime: TimeAmount = .nanoseconds(Int64(Patience.nanoseconds))
    ) async -> SyncthingError? {
        let client = SyncthingClient(
            SyncthingConfiguration(address: address, key: "secret", users: users),
            on: MultiThreadedEventLoopGroup.singleton, socketTables: tables, acceptTime: acceptTime)
        do throws(SyncthingError) {
            _ = try await client.version()
            return nil
        } catch {
            return error
        }
    }

    private func server(_ place: FakeSyncthing.Place, as user: UInt32? = nil) -> FakeSyncthing {
        FakeSyncthing(at: place, as: user) { _ in
            (FakeSyncthing.answer(Array(#"{"version":"v1.29.5","os":"linux","arch":"amd64"}"#.utf8)), .close)
        }
    }

    @Test(arguments: places) func anAcceptedUserGetsTheKey(place: FakeSyncthing.Place) async {
        let server = server(place)
        #expect(await failure(server.address, users: [geteuid()]) == nil)
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.contains("X-API-Key: secret") == true)
    }

    @Test(arguments: places) func anotherUserGetsNothing(place: FakeSyncthing.Place) async {
        let server = server(place)
        let error = await failure(server.address, users: [Self.other])
        #expect(error == .stranger(address: "\(server.address)", user: geteuid()))
        #expect(error?.isOutage == true && error?.isOfPeer == true)
        #expect(!server.requests.contains { !$0.isEmpty })
    }

    /// Before a connection is accepted, the kernel says that root has the other end.
    @Test(arguments: ports) func aProgramThatDoesNotAcceptGetsNothing(place: FakeSyncthing.Place) async {
        let (listener, _, address) = FakeSyncthing.listen(place)
        defer { close(listener) }
        let error = await failure(address, users: [0, geteuid()], acceptTime: .milliseconds(50))
        #expect(error == .unreachable(address: "\(address)", errno: ETIMEDOUT))
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        #expect(recv(connection, &bytes, bytes.count, 0) <= 0)
    }

    /// A connection that is accepted later gets the key then.
    @Test(arguments: ports) func aProgramThatAcceptsLateGetsTheKey(place: FakeSyncthing.Place) async {
        let (listener, _, address) = FakeSyncthing.listen(place)
        async let result = failure(address, users: [geteuid()])
        let request: String = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // Connected, and not accepted yet.
                var waiting = pollfd(fd: listener, events: CShort(POLLIN), revents: 0)
                poll(&waiting, 1, Patience.milliseconds)
                let connection = accept(listener, nil, nil)
                Patience.limit(connection)
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(connection, &bytes, bytes.count, 0)
                close(connection)
                close(listener)
                continuation.resume(returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            }
        }
        #expect(request.contains("X-API-Key: secret"))
        #expect(await result == .closed(request: "GET /rest/system/version"))
    }

    @Test(arguments: ports) func hiddenTablesMeanNoKey(place: FakeSyncthing.Place) async {
        let server = server(place)
        let error = await failure(server.address, users: [0, geteuid()], tables: ["/nowhere/tcp", "/nowhere/tcp6"])
        #expect(
            error
                == .unknownPeer(address: "\(server.address)", message: "/nowhere/tcp: No such file or directory"))
        #expect(!server.requests.contains { !$0.isEmpty })
    }

    /// Thousands of requests would make the tables long, which each request reads.
    @Test(arguments: ports) func connectionsLeaveNothingInTheTables(place: FakeSyncthing.Place) async throws {
        let server = server(place)
        for _ in 0..<20 { #expect(await failure(server.address, users: [geteuid()]) == nil) }
        guard case .loopback(_, let port) = server.address else { return }
        let digits = String(port, radix: 16, uppercase: true)
        let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " "
        for table in Self.tables {
            let lines = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
            // 06 is TIME_WAIT.
            let waiting = lines.filter { $0.contains(end) && $0.split(separator: " ").dropFirst(3).first == "06" }
            #expect(waiting.isEmpty)
        }
    }

    @Test func theConfigurationNamesItsOwner() throws {
        let file = "/tmp/gather-config-\(getpid()).xml"
        let text = "<configuration><gui><address>127.0.0.1:1</address><apikey>k</apikey></gui></configuration>"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { unlink(file) }
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        #expect(try SyncthingConfiguration(file: file).users == [0, geteuid()])
    }

    @Test(.needsRoot("other users"), arguments: ports)
    func aProgramOfAnotherUserGetsNothing(place: FakeSyncthing.Place) async {
        let server = server(place, as: Self.other)
        let error = await failure(server.address, users: [0, 1000])
        #expect(error == .stranger(address: "\(server.address)", user: Self.other))
        #expect(!server.requests.contains { !$0.isEmpty })
        #expect(await failure(server.address, users: [0, Self.other]) == nil)
    }
}
