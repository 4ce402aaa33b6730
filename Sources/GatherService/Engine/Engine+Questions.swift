// Plans, clocks and waits of questions.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import FileWatching
import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import PredicateLanguage
import Varlink

extension Engine {
    /// The containers of these for which an answer may be wrong now, one that reads extended attributes or not; nil where
    /// there are none.
    func inexact(_ records: [ContainerRecord], xattrs: Bool, for caller: Credentials?) -> [String]? {
        let inexact = records.filter { record in
            !state(of: record).isExact || (xattrs && (!record.xattrs.isFilled || record.index.lacksXattrs))
                || (caller != nil && record.accessLists.areMissing)
        }
        let names = access.names(of: inexact, for: caller)
        return names.isEmpty ? nil : names
    }

    /// The plans of a question for containers, all of one moment. Complexity: one is compiled, and moved to the others, where
    /// nothing that it asks depends on the container.
    func plans(of question: Question, in scoped: [ScopedContainer], at now: Timestamp? = nil) -> [QueryPlan] {
        let now = now ?? clockFollower.now
        var compiled = question.compiled.flatMap { $0.isCompiled(for: now) ? $0.at(now) : nil }
        return scoped.map { plan(question, for: $0, at: now, like: &compiled) }
    }

    /// Snapshots for a question that is answered by these plans, all of this moment.
    func parts(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> [AnswerPart] {
        var last: ItemRenderer?
        return zip(scoped, plans).map { scoped, plan in
            let renderer =
                last?.moved(to: scoped.record)
                ?? ItemRenderer(
                    record: scoped.record, attributes: question.attributes, names: system.names, types: system.types,
                    caller: question.caller)
            last = renderer
            return AnswerPart(plan: plan, snapshot: scoped.record.index.snapshot(), renderer: renderer)
        }
    }

    /// The plan of a question for one container, at a moment.
    func plan(_ question: Question, for scoped: ScopedContainer, at now: Timestamp? = nil) -> QueryPlan {
        var compiled: QueryPlan?
        return plan(question, for: scoped, at: now ?? clockFollower.now, like: &compiled)
    }

    /// The same for one of several containers. `compiled` is the last plan compiled for another of them, at this
    /// moment.
    func plan(
        _ question: Question, for scoped: ScopedContainer, at now: Timestamp, like compiled: inout QueryPlan?
    ) -> QueryPlan {
        if let plan = planAtHand(question, for: scoped, at: now) { return plan }
        let environment = environment(of: scoped.record, for: question.caller, at: now)
        if let plan = compiled?.moved(to: environment, scopes: scoped.scopes) { return plan }
        let plan = QueryPlan(question.predicate, scopes: scoped.scopes, environment: environment)
        compiled = plan
        return plan
    }

    /// The same where it does not have to be compiled.
    func planAtHand(_ question: Question, for scoped: ScopedContainer, at now: Timestamp? = nil) -> QueryPlan? {
        guard let plan = question.plans[scoped.record.number], stands(plan, for: scoped.record) else { return nil }
        return goOn(plan, of: question, in: scoped.record, at: now ?? clockFollower.now)
    }

    /// The same plan with its caller's view of a container at a moment, by the names that accounts have now. It is not
    /// compiled anew: where that would take it, as when a day is over since, it stays for its moment. A live query goes
    /// on from there as time passes.
    func goOn(_ plan: QueryPlan, of question: Question, in record: ContainerRecord, at now: Timestamp) -> QueryPlan {
        let plan = (plan.isCompiled(for: now) ? plan.at(now) : plan).naming(by: system.names)
        // The view of a caller is that of the moment of the answer.
        return access.viewer(question.caller, of: record).map(plan.seen) ?? plan
    }

    /// Whether a plan may be gone on with: one that was made before a reload may be for other packages.
    func stands(_ plan: QueryPlan, for record: ContainerRecord) -> Bool {
        !plan.isProvisional && plan.environment.hasPackages == !record.configuration.packages.isEmpty
    }

    /// The environment for which a plan is made for a container, at a moment.
    func environment(
        of record: ContainerRecord, for caller: Credentials?, at now: Timestamp? = nil
    ) -> PlanEnvironment {
        PlanEnvironment(
            container: record.identifier, rootPath: Array(record.rootPrefix.dropLast()), epoch: record.index.epoch,
            accounts: system.names, now: now ?? clockFollower.now, viewer: access.viewer(caller, of: record),
            types: system.types,
            hasPackages: !record.configuration.packages.isEmpty)
    }

    /// A length of time in milliseconds that a caller gave.
    static func wait(_ milliseconds: Int64?, named name: String) throws(QueryError) -> Int64? {
        guard let milliseconds else { return nil }
        guard milliseconds >= 0, milliseconds <= Limits.longestWait else {
            throw .limitExceeded(limit: name, value: Int64(Limits.longestWait))
        }
        return milliseconds
    }

    // MARK: Clocks

    /// The clock of now, for a question. If the caller's view of a container is not known yet, the clock has an unknown
    /// run: no item of that container was sent, and a subscriber that came back with a valid clock would never get
    /// them. `names` stands for those of accounts by which the answer was made, where these are not all that there are
    /// now.
    func clock(of question: Question, names: UInt64? = nil) -> QueryClock {
        let isBlind = question.caller != nil && containers.contains { $0.access.isUnsure }
        let names = names ?? system.names.number
        var clock = QueryClock(
            run: isBlind ? 0 : commits.run, sequence: commits.sequence,
            question: fingerprint(of: question, names: names))
        clock.moment = clockFollower.now.nanoseconds
        clock.surroundings = QueryClock.Surroundings(
            caller: Fingerprint.folded(question.callerFingerprint), types: Fingerprint.folded(system.types.fingerprint),
            accounts: Fingerprint.folded(names), renumberings: UInt32(truncatingIfNeeded: tree.renumberings))
        return clock
    }

    /// Returns the number that identifies a question in a clock. With other names of accounts the same item may match
    /// no more, or be told otherwise, and nothing records that; so it is with the number of a device, which another
    /// start of the machine may have given to another, and which is taken over when that is seen.
    func fingerprint(of question: Question, names: UInt64) -> UInt64 {
        guard question.dependsOnAccounts || question.dependsOnDevices else { return question.fingerprint }
        var fingerprint = Fingerprint()
        fingerprint.combine("\(question.fingerprint)")
        if question.dependsOnAccounts { fingerprint.combine("names \(names)") }
        if question.dependsOnDevices { fingerprint.combine("devices \(commits.run) \(tree.renumberings)") }
        return fingerprint.value
    }

    /// Whether a clock was given with an answer to this question, by the names, types and devices of now.
    func isClock(_ clock: QueryClock, of question: Question) -> Bool {
        system.names.isFingerprint { clock.question == fingerprint(of: question, names: $0) }
    }

    /// Whether a clock that was given with another answer serves this question too: it was given to the same caller,
    /// and all other inputs of this answer beside the items are unchanged.
    func serves(_ clock: QueryClock, _ question: Question) -> Bool {
        guard let surroundings = clock.surroundings,
            surroundings.caller == Fingerprint.folded(question.callerFingerprint)
        else { return false }
        // Another answer may be from before the zone of this one got other rules.
        if question.source != nil, let zonesChanged = system.lastChangeOfZones(now: commits.sequence),
            clock.sequence <= zonesChanged
        {
            return false
        }
        if question.dependsOnTypes, surroundings.types != Fingerprint.folded(system.types.fingerprint) { return false }
        if question.dependsOnAccounts,
            !system.names.isFingerprint({ surroundings.accounts == Fingerprint.folded($0) })
        {
            return false
        }
        // Devices are numbered anew by each start of the machine.
        return !question.dependsOnDevices
            || clock.run == commits.run && surroundings.renumberings == UInt32(truncatingIfNeeded: tree.renumberings)
    }

    /// The clock of now, for an answer from snapshots of these containers. If a detached index is back and being
    /// verified, the snapshots are ahead of every clock: a subscriber that came back with it would get some changes
    /// twice.
    ///
    /// If the predicate follows the time of day, the clock has the moment of the plans; none if they are of several moments.
    func clock(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> QueryClock {
        var clock = clock(of: question)
        if question.followsClock, let first = plans.first?.environment.now {
            clock.moment = plans.allSatisfy { $0.environment.now == first } ? first.nanoseconds : nil
        }
        if scoped.contains(where: { $0.record.index.hasChanges }) { clock.run = 0 }
        return clock
    }

    // MARK: Waiting

    /// Waits until every change made before now is in the indexes of these containers and they have settled, for at
    /// most `timeout`; without a timeout for as long as it takes. The completion may be called before this returns.
    func whenExact(
        _ records: [ContainerRecord], settled: Bool = true, xattrs: Bool = false, timeout: TimeAmount?,
        _ completion: @escaping ([ContainerRecord]) -> Void
    ) -> Waiter {
        whenExact(records, settled: settled, xattrOf: xattrs ? records : [], timeout: timeout, completion)
    }

    /// The same with extended attributes of some of them.
    func whenExact(
        _ records: [ContainerRecord], settled: Bool, xattrOf filled: [ContainerRecord], timeout: TimeAmount?,
        _ completion: @escaping ([ContainerRecord]) -> Void
    ) -> Waiter {
        for record in filled { fillXattrs(record) }
        let numbers = Set(records.map(\.number))
        let waiter = Waiter(
            barrier: watcher.barrier(for: numbers), numbers: numbers, needsSettled: settled,
            xattrs: Set(filled.map(\.number)), completion: completion)
        barriers.add(waiter, timeout: timeout) { self.unsettled($0) }
        runIteration()
        return waiter
    }

    /// Whether answers about these containers would be as exact as they can be.
    func areSettled(_ records: [ContainerRecord], xattrs: Bool) -> Bool {
        records.allSatisfy { !isSettling($0) && (!xattrs || hasXattrs($0)) }
    }

    /// Whether extended attributes were read, of one where there is anything to read.
    private func hasXattrs(_ record: ContainerRecord) -> Bool { record.xattrs.isFilled || isUnavailable(record) }

    func isSettling(_ record: ContainerRecord) -> Bool {
        watcher.state(of: record.number)?.isSettling ?? false
    }

    private func isUnavailable(_ record: ContainerRecord) -> Bool {
        if case .unavailable? = watcher.state(of: record.number) { true } else { false }
    }

    /// The containers that the question still waits for.
    func unsettled(_ waiter: Waiter) -> [ContainerRecord] {
        let records = containers.filter { waiter.numbers.contains($0.number) }
        if !watcher.isReached(waiter.barrier, in: Set(records.map(\.number))) {
            let behind = records.filter { !watcher.isReached(waiter.barrier, in: [$0.number]) }
            return behind.isEmpty ? records : behind
        }
        return records.filter { record in
            (waiter.needsSettled && isSettling(record)) || (waiter.xattrs.contains(record.number) && !hasXattrs(record))
        }
    }

    /// Begins to read extended attributes in a container, unless that was done before.
    func fillXattrs(_ record: ContainerRecord) {
        guard record.xattrs.begin() else { return }
        watcher.setReadsXattrs(record.number) {
            // Changes that are not counted yet were made to items whose attributes were not known.
            record.xattrs.noteFilled(at: self.commits.sequence + (record.index.hasChanges ? 1 : 0))
        }
    }
}
