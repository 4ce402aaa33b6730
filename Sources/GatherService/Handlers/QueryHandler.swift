// Answers io.gatherd.Query.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import PredicateLanguage
import Varlink

/// Answers calls to `io.gatherd.Query`. Event loop only.
struct QueryHandler {
    let engine: Engine

    func handle(_ call: VarlinkCall) throws {
        engine.activity.noteQuestion(call.method)
        switch call.method {
        case QueryInterface.Find.name: try find(call)
        case QueryInterface.Count.name: try count(call)
        case QueryInterface.Values.name: try values(call)
        case QueryInterface.Watch.name: try watch(call)
        case QueryInterface.Flush.name: flush(call)
        case QueryInterface.Explain.name: try explain(call)
        case QueryInterface.Attributes.name: attributes(call)
        default: call.fail(.methodNotImplemented(call.method))
        }
    }

    // MARK: One-shot answers

    private func find(_ call: VarlinkCall) throws {
        let request = try call.request(of: QueryInterface.Find.self)
        let engine = engine
        var keys: [SortOrder.Key] = []
        for key in request.sort ?? [] {
            keys.append(SortOrder.Key(try Question.attribute(key.attribute), ascending: key.ascending))
            if keys.count > Limits.sortKeys {
                throw QueryError.limitExceeded(limit: "sortKeys", value: Int64(Limits.sortKeys))
            }
        }
        if let limit = request.limit, limit < 0 { throw VarlinkError.invalidParameter("limit") }
        let limit = request.limit.map { Int(clamping: $0) }
        let sortKeys = keys
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: request.scopes, attributes: request.attributes,
            timeZone: request.timeZone
        ) { question in
            try whenAnswerable(
                call, question, xattrs: question.readsXattrs || sortKeys.contains { $0.attribute.isExtra },
                sync: request.sync, timeout: request.timeout
            ) { scoped, inexact in
                let sortKeyBytes = engine.limits.sortKeyBytes
                let isSortedByAccount = sortKeys.contains { $0.attribute == .owner || $0.attribute == .group }
                engine.questions.answer(call, question, in: scoped, naming: isSortedByAccount) {
                    parts, scanGuard in
                    try Answer(
                        parts, sortedBy: sortKeys, limit: limit, sortKeyBytes: sortKeyBytes, guard: scanGuard)
                } then: { result, clock, place in
                    do {
                        let stream = FindStream(
                            call: call, engine: engine, answer: try result.get(), inexact: inexact, clock: clock,
                            naming: question.tellsAccounts, onEnd: place.leave)
                        stream.start()
                    } catch {
                        place.leave()
                        QueryHandler.fail(call, error)
                    }
                }
            }
        }
    }

    private func count(_ call: VarlinkCall) throws {
        let request = try call.request(of: QueryInterface.Count.self)
        let engine = engine
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: request.scopes, attributes: [], timeZone: request.timeZone
        ) { question in
            try whenAnswerable(
                call, question, xattrs: question.readsXattrs, sync: request.sync, timeout: request.timeout
            ) { scoped, inexact in
                engine.questions.answer(call, question, in: scoped) { parts, scanGuard in
                    try Answer(parts, guard: scanGuard).count
                } then: { result, clock, place in
                    place.leave()
                    do {
                        call.reply(
                            QueryInterface.Count.Reply(
                                count: Int64(try result.get()), inexact: inexact, clock: clock))
                    } catch {
                        QueryHandler.fail(call, error)
                    }
                }
            }
        }
    }

    private func values(_ call: VarlinkCall) throws {
        let request = try call.request(of: QueryInterface.Values.self)
        let attribute = try Question.attribute(request.attribute)
        if let limit = request.limit, limit < 0 { throw VarlinkError.invalidParameter("limit") }
        let limit = request.limit.map { Int(clamping: $0) }
        let engine = engine
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: request.scopes, attributes: [], timeZone: request.timeZone
        ) { question in
            try whenAnswerable(
                call, question, xattrs: question.readsXattrs || attribute.isExtra, sync: request.sync,
                timeout: request.timeout
            ) { scoped, inexact in
                let limits = engine.limits
                let namesAccounts = attribute == .owner || attribute == .group
                engine.questions.answer(call, question, in: scoped, naming: namesAccounts) {
                    parts, scanGuard in
                    try ValuesAnswer(attribute, parts, limit: limit, limits: limits, guard: scanGuard)
                } then: { result, clock, place in
                    place.leave()
                    do {
                        call.reply(try result.get().reply(inexact: inexact, clock: clock))
                    } catch {
                        QueryHandler.fail(call, error)
                    }
                }
            }
        }
    }

    /// Calls `answer` with the containers for which it may be wrong: at once, or when the containers of the question
    /// are exact. Replies with an error if they are not exact in time.
    private func whenAnswerable(
        _ call: VarlinkCall, _ question: Question, xattrs: Bool, sync: Bool?, timeout: Int64?,
        _ answer: @escaping ([ScopedContainer], [String]?) -> Void
    ) throws {
        // Only present containers count. One that is added later is not part of the question.
        let scoped = try engine.scopes.resolve(question.scopeTexts, for: question.caller)
        let records = scoped.map(\.record)
        let engine = engine
        func proceed() {
            let scoped = scoped.filter { engine.containers.contains($0.record) }
            answer(scoped, engine.inexact(scoped.map(\.record), xattrs: xattrs, for: question.caller))
        }
        guard sync ?? true else {
            if xattrs { for record in records { engine.fillXattrs(record) } }
            return proceed()
        }
        let milliseconds = try Engine.wait(timeout, named: "timeout") ?? engine.limits.syncTime
        let waiter = engine.whenExact(records, xattrs: xattrs, timeout: .milliseconds(milliseconds)) { late in
            guard late.isEmpty else {
                let names = engine.access.names(of: late, for: question.caller)
                return QueryHandler.fail(call, QueryError.syncTimeout(containers: names))
            }
            proceed()
        }
        if !waiter.isDone { call.onClose = { engine.barriers.cancel(waiter) } }
    }

    private static func fail(_ call: VarlinkCall, _ error: any Error) {
        if let error = error as? EvaluationError {
            call.fail(QueryError.evaluationFailed(message: error.message).varlinkError)
        } else {
            call.fail(Dispatcher.varlinkError(error))
        }
    }

    // MARK: Live queries

    private func watch(_ call: VarlinkCall) throws {
        let request = try call.request(of: QueryInterface.Watch.self)
        let batch = try Engine.wait(request.batch, named: "batch") ?? 0
        let heartbeat = try Engine.wait(request.heartbeat, named: "heartbeat")
        let engine = engine
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: request.scopes, attributes: request.attributes,
            timeZone: request.timeZone, isLive: true
        ) { question in
            let scoped = try engine.scopes.resolve(question.scopeTexts, for: question.caller)
            // The directories of a scope take about six times the memory of a predicate of that length.
            let scopeBytes = request.scopes.map { $0.reduce(0) { $0 + $1.utf8.count } } ?? 0
            let predicateBytes = request.predicate.utf8.count * max(1, scoped.count) + 6 * scopeBytes
            try engine.subscriptions.admit(call.peer, predicateBytes: predicateBytes)
            let mostBytes = engine.limits.predicateBytesAskedAgain
            if question.isAskedAgain, request.predicate.utf8.count > mostBytes {
                throw QueryError.limitExceeded(limit: "predicateBytesAskedAgain", value: Int64(mostBytes))
            }
            let activity = QueryActivity(
                number: engine.activity.noteLiveQuery(), predicate: request.predicate,
                halfTime: engine.limits.loadHalfTime)
            let subscription = Subscription(
                engine: engine, call: call, question: question, batch: BatchHold(milliseconds: batch),
                heartbeat: Heartbeat(milliseconds: heartbeat), predicateBytes: predicateBytes, activity: activity)
            subscription.start(scoped, since: request.since)
        }
    }

    private func flush(_ call: VarlinkCall) {
        let engine = engine
        let own = engine.subscriptions.all.filter { $0.peer.userID == call.peer.userID }
        let records = engine.containers.filter { record in
            own.contains { $0.looks(at: record) }
                && engine.access.isOpen(record, for: engine.access.restriction(of: call.peer))
        }
        // In a container that was just added, attributes are published only after all of them were read.
        let filled = records.filter { record in own.contains { $0.question.readsXattrs && $0.looks(at: record) } }
        let waiter = engine.whenExact(records, settled: false, xattrOf: filled, timeout: nil) { _ in
            let clock = engine.commits.clock(question: 0).text
            engine.whenCaughtUp(own) {
                for subscription in own { subscription.flush() }
                call.reply(QueryInterface.Flush.Reply(clock: clock))
            }
        }
        if !waiter.isDone { call.onClose = { engine.barriers.cancel(waiter) } }
    }

    // MARK: Descriptions

    private func explain(_ call: VarlinkCall) throws {
        let request = try call.request(of: QueryInterface.Explain.self)
        if request.analyze ?? false { return try analyze(call, request) }
        let environment = explaining(call)
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: [], attributes: [], timeZone: request.timeZone,
            explaining: environment
        ) { question in
            call.reply(explanation(question, environment))
        }
    }

    /// The environment for an explanation: that of any container that the caller may search.
    private func explaining(_ call: VarlinkCall) -> PlanEnvironment {
        let caller = engine.access.restriction(of: call.peer)
        return PlanEnvironment(
            container: "", rootPath: [], epoch: 0, accounts: engine.system.names, now: engine.clockFollower.now,
            types: engine.system.types,
            hasPackages: engine.containers.contains {
                !$0.configuration.packages.isEmpty && engine.access.isOpen($0, for: caller)
            })
    }

    private func explanation(
        _ question: Question, _ environment: PlanEnvironment
    ) -> QueryInterface.Explain.Reply {
        let plan = question.plans[0] ?? QueryPlan(question.predicate, environment: environment)
        return QueryInterface.Explain.Reply(
            canonical: question.predicate.canonical, attributes: plan.attributes.attributes.map(\.name),
            plan: plan.explanation)
    }

    /// Evaluates the plan as Count does, and replies with the number of items after each step.
    private func analyze(_ call: VarlinkCall, _ request: QueryInterface.Explain.Request) throws {
        let environment = explaining(call)
        let engine = engine
        try engine.questions.understand(
            call, predicate: request.predicate, scopes: request.scopes, attributes: [], timeZone: request.timeZone,
            explaining: environment
        ) { question in
            try whenAnswerable(call, question, xattrs: question.readsXattrs, sync: nil, timeout: nil) { scoped, _ in
                engine.questions.answer(call, question, in: scoped) { parts, scanGuard in
                    var analysis = PlanAnalysis()
                    for part in parts {
                        analysis.add(try part.plan.analyze(in: part.snapshot, guard: scanGuard))
                    }
                    return analysis
                } then: { result, _, place in
                    place.leave()
                    do {
                        let analysis = try result.get()
                        var reply = explanation(question, environment)
                        reply.steps =
                            [.init(step: "all items", rows: Int64(analysis.rows), microseconds: 0)]
                            + analysis.steps.map {
                                .init(
                                    step: $0.text, rows: Int64($0.rows),
                                    microseconds: Int64(clamping: $0.nanoseconds / 1_000))
                            }
                        call.reply(reply)
                    } catch {
                        QueryHandler.fail(call, error)
                    }
                }
            }
        }
    }

    private func attributes(_ call: VarlinkCall) {
        call.reply(QueryInterface.Attributes.Reply(attributes: AttributeDescription.all))
    }
}
