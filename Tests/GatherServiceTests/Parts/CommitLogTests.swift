// The daemon's clock counts changes, and the journal has them before they are published.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Metadata
import MetadataIndex
import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct CommitLogTests {
    private final class Handover: JournalHandover {
        var words: [String] = []
        func prepareHandover(sequence: UInt64) { words.append("\(sequence)") }
        func withdrawHandover() { words.append("withdrawn") }
        func settleHandover(sequence: UInt64) { words.append("settled \(sequence)") }
    }

    /// A log with a journal in a directory, or without one.
    private final class Log {
        let handover = Handover()
        let store: PersistentStore
        let log: CommitLog

        init(_ directory: TemporaryDirectory?, _ state: RecoveredState = RecoveredState()) throws {
            for name in ["state", "state/saved"] { try directory?.makeDirectory(name) }
            store = PersistentStore(
                directory.map { PersistentFiles(stateDirectory: $0.path + "/state") }, state,
                boot: PersistentStore.currentBoot, loop: EmbeddedEventLoop(),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            log = CommitLog(store, state, handover: handover, limits: ServiceLimits())
        }

        deinit { store.abandon() }
    }

    private func record() throws -> ContainerRecord {
        ContainerRecord(
            number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
    }

    @Test func theNextProcessContinuesFromTheJournal() throws {
        let log = try Log(try TemporaryDirectory())
        log.log.appendAccessChange(of: try record(), ancestorAccess: [])
        #expect(log.log.sequence == 1 && log.handover.words == ["1"])
        log.log.settle()
        #expect(log.handover.words == ["1", "settled 1"])
        log.log.close()
        log.log.commit()
        #expect(log.handover.words == ["1", "settled 1"], "the words of the end stand")
    }

    @Test func withoutAJournalTheNextProcessComparesEverything() throws {
        let log = try Log(nil)
        log.log.commit()
        log.log.settle()
        #expect(log.handover.words == ["withdrawn", "withdrawn"])
    }

    @Test func changesOfAnIndexMoveTheClock() throws {
        let (log, record) = (try Log(nil), try record())
        log.log.append(record.index.takeChanges(), of: record)
        #expect(log.log.sequence == 1 && !record.snapshotMark.isJournaled)
        #expect(record.history.indexClock(at: 1) == record.history.indexClock(at: 0).map { $0 + 1 })
    }

    @Test func clocksFromBeforeARemovalAreUnknown() throws {
        var state = RecoveredState()
        state.sequence = 5
        state.history.add(run: 42, from: 2, through: 5)
        let log = try Log(nil, state)
        var earlier = QueryClock(run: 42, sequence: 4, question: 0)
        #expect(log.log.isKnown(earlier))
        earlier.run = 43
        #expect(!log.log.isKnown(earlier))
        let own = log.log.clock(question: 0)
        #expect(log.log.isKnown(own))
        #expect(!log.log.isKnown(QueryClock(run: own.run, sequence: own.sequence + 1, question: 0)))
        let record = try record()
        log.log.noteRemoval(of: record)
        #expect(log.log.sequence == 6 && !log.log.isKnown(own))
        #expect(log.log.isKnown(log.log.clock(question: 0)))
    }

    @Test func eachContainerThatHasVanishedIsAStep() throws {
        var state = RecoveredState()
        (state.hasVanished, state.vanished) = (true, [3, 4])
        let log = try Log(nil, state)
        log.log.noteVanished(state)
        #expect(log.log.sequence == 2 && !log.log.isKnown(QueryClock(run: log.log.run, sequence: 1, question: 0)))
    }
}
