// Monitors of the containers are told of every change of state, some at a time, and never hold up anybody.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import GatherService
@testable import Varlink

@Suite struct StateMonitorsTests {
    private static let user = Credentials(user: 1, groups: [1])
    private static let other = Credentials(user: 2, groups: [2])

    @Test func aChangeIsToldToSomeAtATime() throws {
        let daemon = Daemon()
        let callers = try (0..<1_000).map { _ in try Caller(daemon) }
        daemon.settle()
        for caller in callers { #expect(caller.take().count == 1) }
        let described = daemon.described
        daemon.change()
        // Whatever else the loop has to do comes before anybody is told.
        #expect(callers.allSatisfy { $0.take().isEmpty })
        var told = 0
        while told < callers.count {
            daemon.loop.advanceTime(by: Limits.monitorPause)
            let count = callers.reduce(0) { $0 + $1.take().count }
            #expect(count <= Limits.monitorsNotifiedAtOnce)
            try #require(count > 0 || told == 0 && daemon.described == described + 1)
            told += count
        }
        #expect(told == callers.count)
        #expect(daemon.described == described + 1, "those who see the same share one description")
        daemon.settle()
        #expect(callers.allSatisfy { $0.take().isEmpty })
    }

    @Test func manyBytesAreFewReplies() throws {
        let daemon = Daemon(padding: Limits.monitorBytesNotifiedAtOnce)
        let callers = try (0..<20).map { _ in try Caller(daemon) }
        daemon.settle()
        for caller in callers { #expect(caller.take().count == 1) }
        daemon.change()
        var told = 0
        while told < callers.count {
            daemon.loop.advanceTime(by: Limits.monitorPause)
            let count = callers.reduce(0) { $0 + $1.take().count }
            #expect(count <= 1)
            told += count
        }
    }

    @Test func aMonitorThatDoesNotReadIsOwedOne() throws {
        let daemon = Daemon()
        let (silent, reader) = (try Caller(daemon), try Caller(daemon))
        daemon.settle()
        #expect(silent.take() == [0] && reader.take() == [0])
        silent.isWritable = false
        for state in 1...100 {
            daemon.change()
            daemon.settle()
            #expect(reader.take() == [state])
        }
        #expect(silent.take().isEmpty)
        silent.isWritable = true
        daemon.settle()
        #expect(silent.take() == [100])
        #expect(reader.take().isEmpty)
    }

    @Test func thoseWhoSeeOtherThingsTakeTurns() throws {
        let daemon = Daemon()
        let crowd = try (0..<500).map { _ in try Caller(daemon, as: Self.user) }
        let one = try Caller(daemon, as: Self.other)
        daemon.settle()
        for caller in crowd + [one] { #expect(caller.take() == [0]) }
        daemon.change()
        // Both are described, and told, in turns.
        for _ in 0..<4 { daemon.loop.advanceTime(by: Limits.monitorPause) }
        #expect(one.take() == [1])
        #expect(crowd.reduce(0) { $0 + $1.take().count } <= 2 * Limits.monitorsNotifiedAtOnce)
    }

    @Test func aDescriptionThatTakesLongHoldsUpNobodyElse() throws {
        let daemon = Daemon()
        let (slow, quick) = (try Caller(daemon, as: Self.user), try Caller(daemon))
        daemon.isHolding = true
        daemon.settle()
        for state in 1...3 {
            daemon.change()
            daemon.settle()
            #expect(quick.take().last == state)
        }
        #expect(slow.take().isEmpty && daemon.held.count == 1)
        daemon.letGo()
        daemon.settle()
        // The change of meanwhile is told as well.
        #expect(slow.take().last == 3)
    }

    @Test func hiddenContainersAreNoNews() throws {
        let daemon = Daemon()
        let (blind, all) = (try Caller(daemon, as: Self.user), try Caller(daemon))
        daemon.settle()
        #expect(blind.take() == [0] && all.take() == [0])
        daemon.hidden = 0
        daemon.change()
        daemon.settle()
        #expect(blind.take().isEmpty && all.take() == [1])
        daemon.hidden = nil
        daemon.change()
        daemon.settle()
        #expect(blind.take() == [2] && all.take() == [2])
        // One who asks is told in any case.
        let late = try Caller(daemon, as: Self.user)
        daemon.settle()
        #expect(late.take() == [2] && blind.take().isEmpty)
    }

    @Test func thoseWhoLeaveAreForgotten() throws {
        let daemon = Daemon()
        var callers = try (0..<100).map { try Caller(daemon, as: $0 % 2 == 0 ? Self.user : nil) }
        daemon.settle()
        daemon.change()
        #expect(daemon.monitors?.count == 100)
        for caller in callers { caller.leave() }
        #expect(daemon.monitors?.count == 0)
        let described = daemon.described
        daemon.settle()
        daemon.change()
        daemon.settle()
        #expect(daemon.described == described)
        callers = [try Caller(daemon, as: Self.user)]
        daemon.settle()
        #expect(callers[0].take() == [2])
    }

    /// Whatever happens, in the end everybody knows the last state, was told what was true when they asked or later, and
    /// nothing twice, nothing old after something new.
    @Test(arguments: 1...200 as ClosedRange<UInt64>) func atRandom(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let daemon = Daemon()
        var callers: [(caller: Caller, asked: Int, told: [Int])] = []
        func take() {
            for place in callers.indices { callers[place].told += callers[place].caller.take() }
        }
        for _ in 0..<Int.random(in: 1...300, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                let view = [nil, Self.user, Self.other].randomElement(using: &random) ?? nil
                callers.append((try Caller(daemon, as: view), daemon.state, []))
            case 3, 4: daemon.change()
            case 5: callers.randomElement(using: &random)?.caller.isWritable = Bool.random(using: &random)
            case 6:
                guard let place = callers.indices.randomElement(using: &random) else { continue }
                callers.remove(at: place).caller.leave()
            case 7: daemon.isHolding.toggle()
            case 8: daemon.letGo()
            default: daemon.loop.advanceTime(by: Limits.monitorPause)
            }
            take()
        }
        daemon.isHolding = false
        for (caller, _, _) in callers { caller.isWritable = true }
        daemon.settle()
        while !daemon.held.isEmpty {
            daemon.letGo()
            daemon.settle()
        }
        take()
        for (_, asked, told) in callers {
            #expect(told.first ?? -1 >= asked, "seed \(seed)")
            #expect(told.last == daemon.state, "seed \(seed)")
            #expect(told == Set(told).sorted(), "seed \(seed)")
        }
    }
}

/// As much of a daemon as there is to monitor: one container whose state is a number.
private final class Daemon: VarlinkHandler {
    let loop = EmbeddedEventLoop()
    private(set) var monitors: StateMonitors?
    private(set) var state = 0
    /// The state that callers see who do not see everything; nil where it is the true one.
    var hidden: Int?
    private(set) var described = 0
    /// Whether callers who do not see everything are described to later, when they are let go.
    var isHolding = false
    private(set) var held: [() -> Void] = []
    private let padding: Int

    init(padding: Int = 0) {
        self.padding = padding
        monitors = StateMonitors(loop: loop) { [unowned self] caller, isAwaited, then in
            described += 1
            let answer = { if isAwaited() { then([self.description(for: caller)]) } }
            if caller != nil, isHolding { held.append(answer) } else { answer() }
        }
    }

    func handle(_ call: VarlinkCall) {
        monitors?.add(call, as: call.peer.userID == 0 ? nil : call.peer.credentials)
    }

    func change() {
        state += 1
        monitors?.stateChanged()
    }

    func letGo() {
        let held = held
        self.held = []
        for answer in held { answer() }
    }

    /// Lets everything happen that is to happen by itself.
    func settle() { loop.advanceTime(by: .seconds(10)) }

    private func description(for caller: Credentials?) -> ContainerDescription {
        let items = caller == nil ? state : hidden ?? state
        return ContainerDescription(
            identifier: "tree", path: "/" + String(repeating: "p", count: padding), state: .live, origin: "file",
            items: Int64(items), directories: 0, watches: 0, polled: 0, unreadable: 0, packages: [], ignore: [],
            clock: "\(state)")
    }
}

/// A caller of `Container.Monitor`, on a connection without a socket.
private final class Caller {
    private let channel: EmbeddedChannel

    init(_ daemon: Daemon, as caller: Credentials? = nil) throws {
        let service = VarlinkService(
            vendor: "", product: "", version: "", url: "", interfaces: [ContainerInterface.interface],
            methodsThatNeedMore: [])
        let server = VarlinkServer(eventLoop: daemon.loop, service: service, handler: daemon)
        let peer = PeerCredentials(
            processID: 1, userID: caller?.user ?? 0, groupID: caller?.groups.first ?? 0, groups: [])
        channel = EmbeddedChannel(handler: VarlinkServerHandler(server: server, peer: peer), loop: daemon.loop)
        let call = "{\"method\":\"\(ContainerInterface.Monitor.name)\",\"more\":true}\0"
        try channel.writeInbound(ByteBuffer(string: call))
    }

    var isWritable: Bool {
        get { channel.isWritable }
        set {
            channel.isWritable = newValue
            channel.pipeline.fireChannelWritabilityChanged()
        }
    }

    func leave() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// The states that were told since the last time.
    func take() -> [Int] {
        var states: [Int] = []
        while let frame = try? channel.readOutbound(as: ByteBuffer.self) {
            let text = String(buffer: frame)
            guard let start = text.firstRange(of: "\"items\":")?.upperBound else { continue }
            states.append(Int(text[start...].prefix { $0 != "," }) ?? -1)
        }
        return states
    }
}
