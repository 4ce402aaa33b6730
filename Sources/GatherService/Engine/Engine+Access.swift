// Who sees what: callers of the system's daemon are told what the kernel would let them list and stat.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import FileWatching
import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage
import Varlink

extension Engine {
    /// The containers that are there for a caller.
    func listed(for caller: Credentials?) -> [ContainerRecord] { containers.filter { access.isListed($0, for: caller) } }

    /// Brings changes of the directories above containers, and of their own, to those who see more or less for it. After the
    /// changes of the indexes were brought to the live queries, and before anything is sent.
    func absorbAccess() {
        guard access.tellsCallersApart else { return }
        var numbers = watcher.takePassageChanges()
        numbers.formUnion(tree.takeAccessChanges())
        for record in containers where numbers.contains(record.number) {
            accessLists.noteLists(above: record, self)
            if record.formerPassage == nil { accessChanged(record) }
        }
    }

    /// Who may see what of a container has changed, and no change set tells it: clocks from before are of no use to those
    /// who do not see everything.
    func accessChanged(_ record: ContainerRecord) {
        record.formerPassage = nil
        commits.appendAccessChange(of: record, passage: access.passage(of: record))
        lookAgain(at: record)
    }

    /// A container is exact again: whether the way to it is as it was before the restart, so that clocks from then go on.
    func accessVerified(_ record: ContainerRecord) {
        let former = record.formerPassage
        record.formerPassage = nil
        guard let former, former == access.passage(of: record) else { return accessChanged(record) }
        lookAgain(at: record)
    }

    /// The clock of now, for a question. While it is not known yet what its asker may see of a container, it is one that
    /// nobody knows: nothing was told of that container, and whoever came back with it would never hear of it.
    /// `names` stands for those of accounts by which the answer was made, where these are not all that there are now.
    func clock(of question: Question, names: UInt64? = nil) -> QueryClock {
        let isBlind = question.caller != nil && containers.contains { $0.formerPassage != nil }
        let names = names ?? system.names.number
        var clock = QueryClock(
            run: isBlind ? 0 : commits.run, sequence: commits.sequence, question: fingerprint(of: question, names: names))
        clock.moment = clockFollower.now.nanoseconds
        clock.surroundings = QueryClock.Surroundings(
            caller: Fingerprint.folded(question.callerFingerprint), types: Fingerprint.folded(system.types.fingerprint),
            accounts: Fingerprint.folded(names), renumberings: UInt32(truncatingIfNeeded: tree.renumberings))
        return clock
    }

    /// What stands for a question in a clock. With other names of accounts the same item may match no more, or be told
    /// otherwise, and nothing records that; so it is with the number of a device, which another start of the machine may have
    /// given to another, and which is taken over when that is seen.
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

    /// Whether a clock that was given with another answer serves this question too: it was given to the same caller, and
    /// what this answer depends on beside the items is as it was.
    func serves(_ clock: QueryClock, _ question: Question) -> Bool {
        guard let surroundings = clock.surroundings,
            surroundings.caller == Fingerprint.folded(question.callerFingerprint)
        else { return false }
        // Another answer may be from before the zone of this one got other rules.
        if question.source != nil, let zonesChanged = system.lastChangeOfZones(now: commits.sequence), clock.sequence <= zonesChanged {
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

    /// The clock of now, for an answer from snapshots of these containers. Where items were set aside and are back and being
    /// verified, the snapshots are ahead of every clock: one who came back with it would be told twice of some.
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

    private func lookAgain(at record: ContainerRecord) {
        lookAnew(at: record)
        monitors.stateChanged()
    }

    /// Brings live queries to what their callers see of a container now; where its changes are held, when they are not any
    /// more: until then the queries do not know the rows that the index has.
    func lookAnew(at record: ContainerRecord) {
        // No clock was told while that was owed.
        let owed = record.owesLook
        record.owesLook = record.entry.isHeld
        if record.owesLook { return }
        for subscription in subscriptions.all {
            subscription.accessChanged(record)
            if owed, subscription.looks(at: record) { subscriptions.markReady(subscription) }
        }
        runErrands(of: record)
    }
}
