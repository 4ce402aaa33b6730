// Short questions are answered at once, and long ones in the turns of their users.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import LinuxSystem
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing
import Varlink

@testable import GatherService

struct QuestionRunnerTests {
    private final class Call: QuestionCall {
        let peer: PeerCredentials
        var hasEnded = false
        var onClose: (() -> Void)?
        var onEnd: (() -> Void)?
        var errors: [String] = []

        init(_ user: UInt32 = 1) {
            peer = PeerCredentials(processID: 1, userID: geteuid() &+ user, groupID: 1, groups: [])
        }

        func fail(_ error: VarlinkError) {
            errors.append("\(error)")
            end()
        }

        func end() {
            hasEnded = true
            onEnd?()
        }

        func close() {
            hasEnded = true
            onClose?()
        }
    }

    private struct Source: AccessSource {
        func directoriesAbove(_ number: UInt32) -> [FileAccess]? { [] }
        func state(of number: UInt32) -> WatchState? { .live }
    }

    /// One container with one file.
    private final class Owner: QuestionRunner.Owner {
        let loop: any EventLoop
        let limits: ServiceLimits
        let scans: ScanRunner
        var containers = ContainerSet()
        let access = AccessControl(tellsCallersApart: false, source: Source())
        let system = SystemFiles(
            types: ContentTypeFiles.read([]), zones: TimeZones(.system), names: AccountNames(), hasChanged: {},
            hasFailed: { Issue.record($0) })
        var accountsFollowed = 0
        var scopes: ScopeResolver { ScopeResolver(containers: containers, access: access, resolvedPath: { _ in nil }) }

        init(loop: any EventLoop, pool: NIOThreadPool, rowsOnLoop: Int = 100) throws {
            self.loop = loop
            var limits = ServiceLimits()
            (limits.answers, limits.answersPerUser, limits.turnTime) = (2, 1, .seconds(1))
            (limits.scansAtOnce, limits.scansPerUser) = (1, 1)
            limits.predicateBytesOnLoop = 1_000
            self.limits = limits
            scans = ScanRunner(
                Workload(limits), pool: pool, loop: loop, rowsOnLoop: rowsOnLoop, servesOthers: false)
            let record = ContainerRecord(
                number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
            let status = FileStatus(
                kind: .file, mode: 0o644, size: 1, created: nil, modified: Timestamp(nanoseconds: 0),
                changed: Timestamp(nanoseconds: 0), owner: 1, group: 1, links: 1, inode: 1, device: 1)
            _ = try Array("file".utf8).withUnsafeBytes {
                try record.index.insert(parent: .root, name: $0, status: status)
            }
            containers.insert(record)
        }

        func environment(of record: ContainerRecord, for caller: Credentials?, at now: Timestamp?) -> PlanEnvironment {
            PlanEnvironment(
                container: record.identifier, rootPath: [], epoch: record.index.epoch, accounts: system.names,
                now: now ?? Timestamp(nanoseconds: 0))
        }

        func followAccounts() { accountsFollowed += 1 }

        func plans(of question: Question, in scoped: [ScopedContainer], at now: Timestamp?) -> [QueryPlan] {
            scoped.map {
                QueryPlan(
                    question.predicate, scopes: $0.scopes, environment: environment(of: $0.record, for: nil, at: now))
            }
        }

        func parts(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> [AnswerPart] {
            zip(scoped, plans).map { scoped, plan in
                AnswerPart(
                    plan: plan, snapshot: scoped.record.index.snapshot(),
                    renderer: ItemRenderer(
                        record: scoped.record, attributes: question.attributes, names: system.names,
                        types: system.types, caller: nil))
            }
        }

        func clock(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> QueryClock {
            QueryClock(run: 7, sequence: 8, question: 9)
        }
    }

    private let loop = EmbeddedEventLoop()
    private let owner: Owner
    private let runner: QuestionRunner

    init() throws {
        owner = try Owner(loop: loop, pool: NIOThreadPool(numberOfThreads: 1))
        runner = QuestionRunner(owner: owner)
    }

    private func question(_ predicate: String, _ call: Call) throws -> Question {
        var understood: Question?
        try runner.understand(call, predicate: predicate, scopes: nil, attributes: nil, timeZone: nil) {
            understood = $0
        }
        return try #require(understood)
    }

    /// Has a question counted. Returns the places of the answers, each with its count.
    private func count(
        _ predicate: String, _ call: Call, _ told: @escaping (Int?, String, TurnQueue.Place) -> Void
    ) throws {
        let scoped = try owner.scopes.resolve(nil, for: nil)
        runner.answer(call, try question(predicate, call), in: scoped) { parts, scanGuard in
            try Answer(parts, guard: scanGuard).count
        } then: { result, clock, place in
            told(try? result.get(), clock, place)
        }
    }

    @Test func aShortQuestionIsAnsweredAtOnce() throws {
        var counts: [Int?] = []
        for predicate in ["kind == 'file'", "kind == 'directory'"] {
            try count(predicate, Call()) { count, clock, place in
                counts.append(count)
                #expect(clock == QueryClock(run: 7, sequence: 8, question: 9).text)
                place.leave()
            }
        }
        #expect(counts == [1, 0] && owner.accountsFollowed == 0)
    }

    @Test func aQuestionThatIsNotUnderstoodIsRefused() {
        #expect(throws: QueryError.self) { try question("size >", Call()) }
    }

    @Test func namesOfAccountsAreFollowedWhereTheyMatter() throws {
        try count("owner == 'nobody'", Call()) { _, _, _ in }
        #expect(owner.accountsFollowed == 1)
    }

    @Test func aCallerThatIsGoneGetsNoAnswer() throws {
        let call = Call()
        let question = try question("", call)
        call.end()
        runner.answer(call, question, in: []) { _, _ in
            0
        } then: { _, _, _ in
            Issue.record("nobody waits")
        }
    }

    @Test func aUserWithTooManyAnswersIsToldSo() throws {
        let calls = [Call(1), Call(1), Call(2), Call(3)]
        var told: [Int] = []
        for (number, call) in calls.enumerated() { try count("", call) { _, _, _ in told.append(number) } }
        #expect(told == [0, 2], "the others wait")
        loop.advanceTime(by: .milliseconds(999))
        #expect(calls.allSatisfy { $0.errors.isEmpty })
        loop.advanceTime(by: .milliseconds(1))
        #expect(calls.map(\.errors.count) == [0, 1, 0, 1])
        #expect(calls[1].errors.first?.contains("\"answersPerUser\"") == true, "\(calls[1].errors)")
        #expect(calls[3].errors.first?.contains("\"answers\"") == true, "\(calls[3].errors)")
        calls[0].close()
        #expect(told == [0, 2], "those that have given up are passed over")
    }

    @Test func aCallerThatGoesMakesRoomForTheNext() throws {
        let calls = [Call(1), Call(1), Call(1)]
        var told: [Int] = []
        for (number, call) in calls.enumerated() { try count("", call) { _, _, _ in told.append(number) } }
        calls[1].close()
        calls[0].close()
        #expect(told == [0, 2])
        loop.advanceTime(by: .hours(1))
        #expect(calls.allSatisfy { $0.errors.isEmpty })
    }

    @Test func aLongQuestionIsUnderstoodAndScannedElsewhere() async throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let loop = NIOSingletons.posixEventLoopGroup.any()
        let predicate = Array(repeating: "name == 'file'", count: 100).joined(separator: " OR ")
        let (count, wasPlanned, long) = try await loop.flatSubmit {
            let promise = loop.makePromise(of: (Int, Bool, NIOThreadPool).self)
            do {
                let owner = try Owner(loop: loop, pool: pool, rowsOnLoop: 0)
                let long = owner.scans.workload.longPool
                long.start()
                let runner = QuestionRunner(owner: owner)
                let call = Call()
                var isWithin = true
                try runner.understand(call, predicate: predicate, scopes: nil, attributes: nil, timeZone: nil) {
                    #expect(!isWithin, "it takes long")
                    let wasPlanned = $0.plans[1] != nil
                    runner.answer(call, $0, in: try owner.scopes.resolve(nil, for: nil)) { parts, scanGuard in
                        try Answer(parts, guard: scanGuard).count
                    } then: { result, _, place in
                        place.leave()
                        call.end()
                        promise.completeWith(result.map { ($0, wasPlanned, long) })
                    }
                }
                isWithin = false
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
        #expect(count == 1 && wasPlanned)
        for pool in [pool, long] { try await pool.shutdownGracefully() }
    }
}
