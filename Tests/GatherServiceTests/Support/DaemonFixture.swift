// A daemon of a test's own, in this process, on a real tree and a real socket.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Varlink

@testable import GatherService

/// A running daemon with one container, `tree`.
struct DaemonFixture {
    let directory: TemporaryDirectory
    /// The container's directory.
    let tree: String
    let socket: String

    /// Starts a daemon, runs `body`, and stops it.
    static func run(
        containers: [String: String]? = nil, directory: TemporaryDirectory? = nil, isSystem: Bool = false,
        state: String = "state", packages: [String] = [], limits: ServiceLimits = ServiceLimits(),
        accounts: AccountDirectory = .system, keep: (@Sendable ([StoredDescriptor]) -> Void)? = nil,
        log: LogRecorder? = nil, adjust: (inout DaemonOptions) -> Void = { _ in },
        _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        let tree = directory.path + "/tree"
        if directory.exists("tree") == false { try directory.makeDirectory("tree") }
        let fixture = DaemonFixture(directory: directory, tree: tree, socket: directory.path + "/run/io.gatherd")
        var configured: [ContainerConfiguration] = []
        for (identifier, path) in containers ?? ["tree": tree] {
            configured.append(
                try ContainerConfiguration(
                    identifier: identifier, path: path, packages: packages, origin: .argument))
        }
        let ready = AsyncStream<Void>.makeStream()
        var logger = Logger(label: "test", factory: { _ in log ?? SwiftLogNoOpLogHandler() as any LogHandler })
        logger.logLevel = log == nil ? .critical : .warning
        var options = DaemonOptions(
            configurationFile: directory.path + "/gatherd.toml", configurationIsRequired: false,
            socket: .path(fixture.socket, isSystem: isSystem), stateDirectory: directory.path + "/" + state,
            containers: configured)
        options.limits = limits
        // On a busy machine everything may take longer than anybody waits for it: unless that is what is tested, all wait.
        let long = TimeAmount.hours(3)
        if limits.turnTime == Limits.turnTime { options.limits.turnTime = long }
        if limits.answerTime == Limits.answerTime { options.limits.answerTime = long }
        if limits.requestTime == VarlinkLimits.requestTime { options.limits.requestTime = long }
        if limits.syncTime == ProtocolLimits.defaultTimeout { options.limits.syncTime = Int64(Patience.milliseconds) }
        options.accounts = accounts
        adjust(&options)
        let daemon = GatherDaemon(
            options: options,
            observer: ReadyObserver(ready: ready.continuation, keep: keep), logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { ready.continuation.finish() }
                try await daemon.run()
            }
            for await _ in ready.stream { break }
            do {
                try await body(fixture)
            } catch {
                tasks.cancelAll()
                throw error
            }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    struct ReadyObserver: DaemonObserver {
        /// Nil if no test waits.
        var ready: AsyncStream<Void>.Continuation?
        /// Is given the descriptors to keep; nil if none are kept.
        let keep: (@Sendable ([StoredDescriptor]) -> Void)?
        var keepsDescriptors: Bool { keep != nil }
        func keep(_ descriptors: [StoredDescriptor]) { keep?(descriptors) }
        var heartbeat: Duration? { nil }
        func ready(status: String) { ready?.yield() }
        func status(_ text: String) {}
        func reloading() {}
        func stopping() {}
        func alive() {}
    }

    // MARK: Calls, each on a connection of its own

    func client(as user: OtherUser? = nil) async throws -> VarlinkClient {
        let group = NIOSingletons.posixEventLoopGroup.any()
        guard let user else { return try await VarlinkClient.connect(path: socket, on: group) }
        return try await VarlinkClient.attach(descriptor: try user.connect(path: socket), on: group)
    }

    func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request, as user: OtherUser? = nil
    ) async throws -> Method.Reply {
        let client = try await client(as: user)
        do {
            let reply = try await client.call(Method.name, JSONBytes(request)).decode(Method.Reply.self)
            await client.close()
            return reply
        } catch {
            await client.close()
            throw error
        }
    }

    /// The paths that match, below the tree, sorted.
    func find(_ predicate: String, scopes: [String]? = nil, sync: Bool? = nil) async throws -> [String] {
        let reply = try await call(
            QueryInterface.Find.self,
            QueryInterface.Find.Request(predicate: predicate, scopes: scopes, attributes: ["path"], sync: sync))
        return reply.items.compactMap(\.path).map { String($0.dropFirst(tree.count + 1)) }.sorted()
    }

    func flush() async throws { _ = try await call(QueryInterface.Flush.self, QueryInterface.Flush.Request()) }
}

/// A subscriber and its items: the replies of a Watch applied in their order.
final class Subscriber {
    private let client: VarlinkClient
    private var replies: VarlinkReplies.Iterator
    /// Paths by id.
    private(set) var items: [String: String] = [:]
    /// The last state of each item, by id.
    private(set) var values: [String: Item] = [:]
    private(set) var lastClock: String?
    private(set) var lastCount: Int64?
    /// The faults of the replies: an item added twice, or changed or removed that was not held.
    private(set) var violations: [String] = []

    /// Comes back with the clock that was told last, holding what it held.
    func comeBack(
        _ fixture: DaemonFixture, _ request: QueryInterface.Watch.Request, as user: OtherUser? = nil
    ) async throws -> Subscriber {
        await close()
        var request = request
        request.since = lastClock
        let next = try await Subscriber(fixture, request, holding: items, as: user)
        next.values = values
        next.violations = violations
        next.lastClock = lastClock
        return next
    }

    init(
        _ fixture: DaemonFixture, _ request: QueryInterface.Watch.Request, holding items: [String: String] = [:],
        as user: OtherUser? = nil
    ) async throws {
        client = try await fixture.client(as: user)
        replies = client.callMore(QueryInterface.Watch.name, JSONBytes(request)).makeAsyncIterator()
        self.items = items
    }

    /// The next reply, applied.
    @discardableResult
    func next() async throws -> QueryInterface.Watch.Reply {
        guard let bytes = try await replies.next() else { throw EndOfReplies() }
        let reply = try bytes.decode(QueryInterface.Watch.Reply.self)
        if reply.event == .started, reply.fresh == true { (items, values) = ([:], [:]) }
        for item in reply.added ?? [] {
            if items[item.id] != nil { violations.append("added twice: \(item.id)") }
            items[item.id] = item.path ?? ""
            values[item.id] = item
        }
        for item in reply.changed ?? [] {
            if items[item.id] == nil { violations.append("changed, not held: \(item.id) \(item.path ?? "")") }
            items[item.id] = item.path ?? ""
            values[item.id] = item
        }
        for removal in reply.removed ?? [] {
            values[removal.id] = nil
            if items.removeValue(forKey: removal.id) == nil { violations.append("removed, not held: \(removal.path)") }
        }
        if let clock = reply.clock { lastClock = clock }
        if let count = reply.count { lastCount = count }
        return reply
    }

    /// Goes on to the end of the first phase.
    func gather() async throws {
        while try await next().event != .gathered {}
    }

    /// Goes on to the reply that brings everything to a point that `Flush` has named.
    func next(_ count: Int) async throws { for _ in 0..<count { try await next() } }

    func close() async { await client.close() }

    struct EndOfReplies: Error {}
}
