// The server of the page.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Varlink

/// Serves a list as a page for browsers: over HTTP, with a secret. The loopback device needs it, too: every user of this
/// machine can connect to a port there, whatever the modes of the list's files say.
package struct PageServer: Sendable {
    /// The port without another choice. A browser keeps waiting changes by the port, so it should stay the same.
    package static let standardPort = 8470
    /// The address that only programs on this machine reach.
    package static let loopback = "127.0.0.1"

    private let list: any PageList
    private let address: String
    private let port: Int
    private let token: PageToken
    private let names: Set<String>
    private let limits: PageLimits
    private let problems: ConnectionProblems
    /// The bodies of requests in memory.
    let bodies: BodyBudget

    /// - Parameters:
    ///   - address: An address of this machine, or `0.0.0.0` or `::` for all.
    ///   - port: The port; 0 for any that is free.
    ///   - token: The secret.
    ///   - names: Host names under which browsers reach the server, beside its addresses and `localhost`.
    ///   - tell: Receives a line that says why connections ended with an error, once in ``PageLimits/problemPause`` at most. It is
    ///     called on any thread.
    package init(
        list: any PageList, address: String = PageServer.loopback, port: Int = PageServer.standardPort,
        token: PageToken, names: [String] = [], limits: PageLimits = PageLimits(),
        report: @escaping @Sendable (String) -> Void
    ) throws(PageServerError) {
        guard PageAccess.isAddress(address) else {
            throw PageServerError("'\(address)' is not an address of IPv4 or IPv6")
        }
        guard (0...65_535).contains(port) else { throw PageServerError("a port is at most 65535") }
        self.list = list
        self.address = address
        self.port = port
        self.token = token
        self.names = Set(names.map { $0.lowercased() })
        var limits = limits
        limits.fit(descriptors: PageServer.descriptors)
        self.limits = limits
        bodies = BodyBudget(limit: limits.bodyBytesInAll)
        problems = ConnectionProblems(pause: limits.problemPause, report: report)
    }

    /// Serves the list until the task is cancelled, or the list fails. Calls `ready` with the links when browsers can connect.
    package func run(_ ready: @Sendable (PageLinks) -> Void) async throws {
        let table = ConnectionTable(
            unauthenticated: limits.unauthenticatedConnections, authenticated: limits.connections)
        let router = PageRouter(list: list, access: PageAccess(port: port, token: token, names: names), limits: limits)
        let channel: any Channel
        do {
            channel = try await listen(router, table)
        } catch let error as IOError {
            throw PageServerError(
                "cannot listen on \(address), port \(port): \(String(cString: strerror(error.errnoCode)))")
        }
        ready(
            PageLinks(address: address, port: channel.localAddress?.port ?? port, names: names.sorted(), token: token))
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await router.events.run() }
                tasks.addTask { try await router.events.beat(every: limits.heartbeat) }
                tasks.addTask { try await problems.run() }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        } catch {
            await end(channel, table)
            if Task.isCancelled || error is CancellationError { return }
            throw error
        }
        await end(channel, table)
    }

    private func listen(_ router: PageRouter, _ table: ConnectionTable) async throws -> any Channel {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headerFieldBytes
        decoding.maxHeaderListSize = limits.headerBytes
        decoding.maxHeaderFieldCount = limits.headerFields
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: PageServer.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [limits, problems] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(limits.acceptPause) { problems.add(IOError(errnoCode: $0, reason: "accept")) })
                }
            }
            .childChannelInitializer { [limits, bodies, problems, decoding] channel in
                channel.eventLoop.makeCompletedFuture {
                    try PageServer.setOptions(of: channel, limits, problems)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(
                        withErrorHandling: false, withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: decoding)
                    let router = router.listening(on: channel.localAddress?.port)
                    try pipeline.addHandler(
                        PageConnection(
                            router: router, limits: limits, table: table, bodies: bodies, problems: problems))
                }
            }
            .bind(to: SocketAddress(ipAddress: address, port: port)).get()
    }

    /// Sets the options of a connection. Each only makes it better, so a connection for which the kernel refuses one is served
    /// without it.
    private static func setOptions(
        of channel: any Channel, _ limits: PageLimits, _ problems: ConnectionProblems
    ) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(
            .writeBufferWaterMark, value: .init(low: limits.waitingBytes / 2, high: limits.waitingBytes))
        do {
            try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
            let milliseconds = Int(limits.acknowledgementTime.nanoseconds / 1_000_000)
            try options.setOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: milliseconds)
        } catch {
            problems.add(error)
        }
    }

    /// Closes the listening socket, and lets requests end that are being answered.
    private func end(_ channel: any Channel, _ table: ConnectionTable) async {
        try? await channel.close()
        table.end(now: false)
        let limit = Task { [limits] in
            try await Task.sleep(for: limits.endTime)
            table.end(now: true)
        }
        await table.empty()
        limit.cancel()
    }

    /// The connections that wait to be accepted. The kernel has a limit of its own (net.core.somaxconn). Beyond it a browser
    /// tries again after a second.
    private static let backlog: Int32 = 4_096

    /// The most descriptors of this process.
    private static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Returns whether an address is reached from this machine only.
    static func isLoopback(_ address: SocketAddress) -> Bool {
        guard let text = address.ipAddress else { return false }
        return address.protocol == .inet ? text.hasPrefix("127.") : text == "::1"
    }
}
