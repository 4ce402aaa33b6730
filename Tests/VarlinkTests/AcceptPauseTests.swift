// A process without free descriptors stops accepting for a while, and goes on afterwards.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import Testing

@testable import Varlink

struct AcceptPauseTests {
    /// The lowest number that no descriptor has.
    private static func lowestFree() -> CInt {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        close(descriptor)
        return descriptor
    }

    private static func setLimit(_ count: UInt) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = count
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    // In a process of its own: the limit is the process's.
    @Test func withoutDescriptorsAcceptingPausesAndThatIsSaidOnce() async {
        await #expect(processExitsWith: .success) {
            var limits = VarlinkLimits()
            limits.acceptPause = .milliseconds(20)
            try await TestServer.with(limits: limits) { server in
                let codes = AsyncStream<CInt>.makeStream()
                try await server.onLoop { server, _ in server.acceptFailed = { codes.continuation.yield($0) } }
                var client = try BlockingVarlinkClient(path: server.path)
                _ = try client.call("org.example.test.Release")
                let waiting = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
                AcceptPauseTests.setLimit(UInt(AcceptPauseTests.lowestFree()))
                try #require(connectPlainly(waiting, server.path) == 0)
                for await code in codes.stream {
                    #expect(code == EMFILE)
                    break
                }
                let before = try await server.onLoop { server, _ in server.acceptFailures }
                // A loop that does not pause fails at each of these iterations, which each look at the descriptors.
                for _ in 0..<200 { _ = try client.call("org.example.test.Release") }
                let after = try await server.onLoop { server, _ in server.acceptFailures }
                #expect(after - before < 100, "\(after - before)")
                AcceptPauseTests.setLimit(1_024)
                var other = BlockingVarlinkClient(descriptor: waiting)
                #expect(try other.call("org.example.test.Release").text == "{}")
                codes.continuation.finish()
                var more = 0
                for await _ in codes.stream { more += 1 }
                #expect(more == 0, "it is said once")
            }
        }
    }
}

private func connectPlainly(_ descriptor: CInt, _ path: String) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
