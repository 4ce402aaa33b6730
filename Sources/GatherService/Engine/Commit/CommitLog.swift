// The daemon's clock, and the journal that has each change before it is published.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import MetadataIndex
import NIOCore

/// The words for the next process that belong to the journal.
protocol JournalHandover {
    /// Says how far the next process may continue, if the journal has all changes up to a clock.
    func prepareHandover(sequence: UInt64)
    /// Withdraws that, since the journal does not have them.
    func withdrawHandover()
    /// Says all that the next process can continue from, and lets go of the events that the journal has the changes of.
    func settleHandover(sequence: UInt64)
}

extension TreeWatcher: JournalHandover {}

/// Counts the changes of all indexes, and writes each to the journal before it is published. All commits of a loop iteration come from here.
/// Event loop only.
final class CommitLog {
    /// Counts change sets of all indexes: the daemon's clock, over all runs.
    private(set) var sequence: UInt64
    private let store: PersistentStore
    private let handover: any JournalHandover
    private let largestSet: Int
    /// The known clocks of earlier runs.
    private let history: ClockHistory
    /// The clock when a container was removed last: its log is gone, so no clock from before is known.
    private var lastRemoval: UInt64
    private var isClosed = false

    /// Continues from the saved state.
    init(_ store: PersistentStore, _ state: RecoveredState, handover: any JournalHandover, limits: ServiceLimits) {
        (self.store, self.handover) = (store, handover)
        largestSet = limits.largestSet
        history = state.history
        (sequence, lastRemoval) = (state.sequence, state.lastRemoval)
    }

    /// Moves the clock past the containers that were there when the state was saved, and are not any more.
    func noteVanished(_ state: RecoveredState) {
        if state.hasVanished { noteRemoval(of: state.vanished.isEmpty ? [0] : state.vanished) }
    }

    /// Whether the daemon keeps a journal.
    var isPersistent: Bool { store.isPersistent }

    /// Whether changes are not saved at present, and the failure.
    var isSuspended: Bool { store.isSuspended }
    var failure: PersistenceFailure? { store.failure }

    /// The bytes of the journal that lead up to now.
    var journalBytes: Int { store.byteCount(since: 0) }

    /// Tells clocks of this run from those of others.
    var run: UInt64 { store.run }

    /// Returns the present clock for a question.
    func clock(question: UInt64) -> QueryClock { QueryClock(run: run, sequence: sequence, question: question) }

    /// Whether a clock was published, by this run or one before, and all changes since are known.
    func isKnown(_ clock: QueryClock) -> Bool {
        guard clock.sequence >= lastRemoval else { return false }
        if clock.run == run { return clock.sequence <= sequence }
        return history.contains(run: clock.run, sequence: clock.sequence)
    }

    /// Counts a change set that was just taken from a container's index, and appends it to the journal, or that it is missing
    /// there. It may be published after ``commit()``.
    func append(_ changes: borrowing ChangeSet, of record: ContainerRecord) {
        sequence += 1
        record.history.noteChangeSet(at: sequence)
        let index = record.index
        let isPublished = !changes.isEmpty && index.earliestClock != index.clock
        var isLarge = !index.isDetached && changes.count > largestSet
        if record.snapshotMark.isJournaled, isPublished, !isLarge {
            if let count = store.append(changes, of: index, sequence: sequence) {
                return record.snapshotMark.noteJournaled(bytes: count)
            }
            // Few changes may be many bytes.
            isLarge = !index.isDetached && !store.isSuspended
        }
        store.appendUnrecorded(index, sequence: sequence)
        record.snapshotMark.noteUnjournaled(isLarge: isLarge, isDetached: index.isDetached)
    }

    /// Counts a change of the access to a container that no change set has, and writes it with the present access.
    func appendAccessChange(of record: ContainerRecord, ancestorAccess: [UInt8]) {
        sequence += 1
        record.access.noteChange(at: sequence)
        store.appendAccessChange(record.index, sequence: sequence, ancestorAccess: ancestorAccess)
        commit()
        record.snapshotMark.noteChange()
    }

    /// Moves the clock past the removal of a container, so that no clock from before is known.
    func noteRemoval(of record: ContainerRecord) {
        store.forget(record.identifier)
        noteRemoval(of: [record.index.epoch])
    }

    /// Moves the clock past the removal of containers whose indexes had these epochs, a step for each. Each is named, so that
    /// the next start does not miss them once more, and forget all clocks again.
    private func noteRemoval(of epochs: Set<UInt64>) {
        for epoch in epochs {
            sequence += 1
            store.appendRemoval(of: epoch, sequence: sequence)
        }
        lastRemoval = sequence
        commit()
        store.removeUseless()
    }

    /// Writes the journal, between the two words for the next process that belong to it. After the end there is no journal, and
    /// the words of the end stand: a scan may come back then, whose caller is leaving.
    func commit() {
        guard !isClosed else { return }
        if !store.isSuspended { handover.prepareHandover(sequence: sequence) }
        store.commit()
        if store.isSuspended { handover.withdrawHandover() }
    }

    /// At the end of a loop iteration: says how far the next process may continue, and lets go of the events until there. As long
    /// as changes are not saved, neither happens: the journal ends before.
    func settle() {
        guard !store.isSuspended else { return handover.withdrawHandover() }
        handover.settleHandover(sequence: sequence)
    }

    /// Nothing is written from now on.
    func close() { isClosed = true }

    /// Ends the journal. Saves in progress are finished when the future succeeds.
    func end() -> EventLoopFuture<Void> { store.close(at: sequence) }
}
