// Questions wait for their turn, and are parsed and scanned where they delay no other work.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import LiveQueries
import Metadata
import NIOCore
import NIOPosix
import PredicateLanguage
import Varlink

/// Understands and answers questions in the turns of their users. Event loop only.
struct QuestionRunner {
    /// The containers, and the engine around them.
    protocol Owner: AnyObject {
        var loop: any EventLoop { get }
        var limits: ServiceLimits { get }
        var scans: ScanRunner { get }
        var containers: ContainerSet { get }
        var access: AccessControl { get }
        var scopes: ScopeResolver { get }
        var system: SystemFiles { get }
        /// Returns the environment of a plan for a container; now, if no moment is given.
        func environment(of record: ContainerRecord, for caller: Credentials?, at now: Timestamp?) -> PlanEnvironment
        /// Has the names of accounts be those of now.
        func followAccounts()
        /// Returns the plans of a question for containers, all of one moment; of now, if none is given.
        func plans(of question: Question, in scoped: [ScopedContainer], at now: Timestamp?) -> [QueryPlan]
        /// Returns snapshots of containers for plans.
        func parts(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> [AnswerPart]
        /// Returns the clock of such snapshots.
        func clock(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> QueryClock
    }

    let owner: any Owner

    /// Understands a question: at once, or off the loop where its predicate takes so long that everybody would wait. Then
    /// calls `then`, unless the caller is gone. A plan for `explaining` is made as well, as that of the container 0,
    /// which there is none. One that `isLive` is about the containers that are closed to the caller, too: they may be opened.
    func understand(
        _ call: any QuestionCall, predicate: String, scopes: [String]?, attributes: [String]?, timeZone: String?,
        explaining: PlanEnvironment? = nil, isLive: Bool = false, then: @escaping (Question) throws -> Void
    ) throws {
        let (peer, caller, types, zones) = (
            call.peer, owner.access.restriction(of: call.peer), owner.system.types, owner.system.zones
        )
        if predicate.utf8.count <= owner.limits.predicateBytesOnLoop {
            let question = try Question(
                predicate: predicate, scopes: scopes, attributes: attributes, timeZone: timeZone, peer: peer,
                caller: caller, types: types, zones: zones)
            if question.planningBytes <= owner.limits.predicateBytesOnLoop { return try then(question) }
        }
        let open = try owner.scopes.resolve(scopes, for: caller)
        let closed = isLive ? owner.containers.filter { record in !open.contains { $0.record === record } } : []
        let planned = (open + closed.compactMap { owner.scopes.scopes(of: scopes, in: $0) }).map { scoped in
            (scoped.record.number, scoped.scopes, owner.environment(of: scoped.record, for: nil, at: nil))
        }
        let place = owner.scans.workload.long.enter(user: peer.userID) { place in
            owner.scans.runLong {
                var question = try Question(
                    predicate: predicate, scopes: scopes, attributes: attributes, timeZone: timeZone, peer: peer,
                    caller: caller, types: types, zones: zones)
                for (number, scopes, environment) in planned {
                    question.plans[number] = QueryPlan(question.predicate, scopes: scopes, environment: environment)
                }
                if let explaining { question.plans[0] = QueryPlan(question.predicate, environment: explaining) }
                return question
            } then: { result in
                place.leave()
                if case .success(let question) = result { letGoElsewhere(question, after: call) }
                guard !call.hasEnded else { return }
                call.onClose = nil
                do { try then(try result.get()) } catch { call.fail(Dispatcher.varlinkError(error)) }
            }
        }
        endWaiting(place, of: call, own: ("longPredicates", 1))
        if place.isWaiting { call.onClose = { place.giveUp() } }
    }

    /// Keeps a long question until its call has ended, and everything that belonged to it has been let go of: then its last
    /// reference goes on another thread. To free ten thousand parts takes a millisecond.
    private func letGoElsewhere(_ question: Question, after call: any QuestionCall) {
        let pool = owner.scans.workload.longPool
        guard !call.hasEnded else { return pool.submit { _ in _ = question } }
        let loop = owner.loop
        call.onEnd = {
            loop.scheduleTask(in: QuestionRunner.letGoAfter) {
                pool.submit { _ in _ = question }
            }
        }
    }

    /// So long after the end of a call no thread uses its question any more.
    private static let letGoAfter = TimeAmount.milliseconds(1)

    /// Has a question scanned in its turn, from snapshots of that moment, and calls `then` with the result, the clock
    /// of the snapshots, and the place of the answer, which must leave when the answer has been taken. Where the caller
    /// goes, the scan ends and the place leaves by itself. With `naming` it may ask for names of accounts whatever the
    /// question is.
    func answer<Output: Sendable>(
        _ call: any QuestionCall, _ question: Question, in scoped: [ScopedContainer], naming: Bool = false,
        _ work: @escaping @Sendable ([AnswerPart], ScanGuard) throws -> Output,
        then: @escaping (Result<Output, any Error>, String, TurnQueue.Place) -> Void
    ) {
        guard !call.hasEnded else { return }
        if naming || question.dependsOnAccounts { owner.followAccounts() }
        let scanGuard = owner.scans.workload.scanGuard()
        let answering = owner.scans.workload.answers.enter(user: call.peer.userID) { place in
            call.onClose = {
                scanGuard.cancel()
                place.leave()
            }
            let watched = scoped.filter { owner.containers.contains($0.record) }
            let plans = owner.plans(of: question, in: watched, at: nil)
            let lane = owner.scans.lane(of: plans, naming: naming || question.readsAccounts)
            if lane == .shared {
                let parts = owner.parts(of: question, in: watched, by: plans)
                if !owner.scans.leavesLoop(rows: owner.scans.weight(parts.map { ($0.plan, $0.snapshot) }), lane) {
                    let clock = owner.clock(of: question, in: scoped, by: plans).text
                    return then(Result { try work(parts, scanGuard) }, clock, place)
                }
            }
            // It goes on with the plan made now, which is as good when its turn has come.
            var planned = question
            planned.compiled = plans.first
            answerInTurn(lane, call, planned, in: scoped, scanGuard, place, work, then: then)
        }
        endWaiting(
            answering, of: call, own: ("answersPerUser", owner.limits.answersPerUser),
            inAll: ("answers", owner.limits.answers))
        if answering.isWaiting { call.onClose = { answering.giveUp() } }
    }

    private func answerInTurn<Output: Sendable>(
        _ lane: Workload.Lane, _ call: any QuestionCall, _ question: Question, in scoped: [ScopedContainer],
        _ scanGuard: ScanGuard,
        _ answering: TurnQueue.Place, _ work: @escaping @Sendable ([AnswerPart], ScanGuard) throws -> Output,
        then: @escaping (Result<Output, any Error>, String, TurnQueue.Place) -> Void
    ) {
        let scanning = owner.scans.workload.turns(lane).enter(user: call.peer.userID) { scan in
            // Snapshots are taken now: while this waited no blocks were to be kept for it.
            let watched = scoped.filter { owner.containers.contains($0.record) }
            let plans = owner.plans(of: question, in: watched, at: nil)
            let parts = owner.parts(of: question, in: watched, by: plans)
            let clock = owner.clock(of: question, in: scoped, by: plans).text
            owner.scans.inTurn(lane) {
                try work(parts, scanGuard)
            } then: {
                scan.leave()
                then($0, clock, answering)
            }
        }
        let bounds = owner.scans.workload.bounds(lane)
        endWaiting(scanning, of: call, own: bounds.own, inAll: bounds.inAll)
        // A scan that has begun makes room when it has ended, which is soon.
        call.onClose = {
            scanGuard.cancel()
            scanning.giveUp()
            answering.leave()
        }
    }

    /// Tells a caller whose turn does not come that it waits for too many, most likely its own; `inAll` is the limit that is
    /// named where they are others'.
    func endWaiting(
        _ place: TurnQueue.Place, of call: any QuestionCall, own: (limit: String, value: Int),
        inAll: (limit: String, value: Int)? = nil
    ) {
        place.limitWaiting(to: owner.limits.turnTime, on: owner.loop) {
            let onClose = call.onClose
            let bound = place.waitsForOthers ? inAll ?? own : own
            call.fail(QueryError.limitExceeded(limit: bound.limit, value: Int64(bound.value)).varlinkError)
            onClose?()
            place.giveUp()
        }
    }
}

extension Engine: QuestionRunner.Owner {}
