// Helpers tell the states of shared containers.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import MetadataIndex

/// The sessions of helpers that tell the states of shared containers. Event loop only.
struct SyncSessions {
    /// The containers, and the engine around them.
    protocol Owner: AnyObject {
        var tree: IndexTree { get }
        /// Whether the end has come: no client is told of changes any more.
        var isClosed: Bool { get }
        /// The daemon's clock.
        var clock: QueryClock { get }
        /// Returns a number that no session of this run has had.
        func makeSessionNumber() -> Int64
        /// Takes the changes of a container.
        func absorb(_ record: ContainerRecord)
        /// Runs a loop iteration.
        func runIteration()
    }

    let owner: any Owner

    /// Begins a session for a container that is exact. An earlier one for it ends.
    func begin(of record: ContainerRecord, _ call: any SyncCall) {
        end(of: record)
        let session = SyncSession(
            number: owner.makeSessionNumber(), call: call, unconfirmed: owner.tree.absentItems(of: record.number))
        record.sync = session
        call.onClose = { [weak owner, weak record] in
            guard let owner, let record, record.sync === session else { return }
            record.sync = nil
            SyncSessions(owner: owner).forget(of: record)
        }
        owner.absorb(record)
        record.index.setHelper(true)
        record.entry.leaving = [:]
        owner.absorb(record)
        call.begin(SyncInterface.Attach.Reply(session: session.number, clock: owner.clock.text))
        owner.runIteration()
    }

    /// Ends the session of a container, and tells its helper.
    func end(of record: ContainerRecord) {
        guard let session = record.sync else { return }
        record.sync = nil
        session.call.onClose = nil
        session.call.end(SyncError.superseded(identifier: record.identifier))
        forget(of: record)
    }

    /// All states of a container are unknown.
    private func forget(of record: ContainerRecord) {
        guard !owner.isClosed, record.index.hasHelper else { return }
        owner.absorb(record)
        record.index.setHelper(false)
        owner.absorb(record)
        owner.runIteration()
    }

    /// Takes a report. Its changes go to the live queries in this loop iteration. Returns the count of its items that it changed.
    func take(
        _ report: SyncInterface.Report.Request, of record: ContainerRecord, _ session: SyncSession
    ) -> Int {
        // Earlier changes have their clocks now.
        owner.absorb(record)
        let covered = report.through.flatMap { QueryClock(text: $0) }.flatMap { clock in
            clock.run == owner.clock.run ? record.history.indexClock(at: clock.sequence) : nil
        }
        if let base = report.base { record.index.setSyncBase(SyncState(base)) }
        var changed = 0
        for item in report.items ?? [] where take(item, of: record, covering: covered) { changed += 1 }
        if let covered {
            record.index.coverSync(through: covered)
            for row in session.takeUnconfirmed() { owner.tree.removeAbsent(row, in: record.number) }
        }
        owner.absorb(record)
        owner.runIteration()
        return changed
    }

    /// Returns a part of the states that were told, from a row on.
    func reportedStates(of record: ContainerRecord, from: Int64?) -> SyncInterface.States.Reply {
        let first = from.flatMap { UInt32(exactly: $0) }.map { Row($0) } ?? .root
        let index = record.index
        let (states, next) = index.reportedStates(from: first, limit: Limits.reportedStates)
        let items = states.map { row, state in
            var path: [UInt8] = []
            index.appendPath(of: row, to: &path)
            var item = SyncItemMessage(
                path: String(decoding: path, as: UTF8.self), state: SyncStateMessage(state))
            if IndexTree.isAbsent(row, in: index) {
                let status = index.ownStatus(of: row)
                (item.size, item.modified) = (status.size, status.modified.nanoseconds)
            }
            return item
        }
        return SyncInterface.States.Reply(
            base: SyncStateMessage(index.syncBase), items: items, next: next.map { Int64($0.number) })
    }

    /// Takes the state of one item, which may not be here. Returns whether it changed anything.
    private func take(_ item: SyncItemMessage, of record: ContainerRecord, covering clock: UInt64?) -> Bool {
        let path = Array(item.path.utf8)
        let state = item.state.map { SyncState($0) }
        let row = record.index.row(at: path)
        if let row {
            record.sync?.confirm(row)
            record.entry.leaving[row] = nil
            if !IndexTree.isAbsent(row, in: record.index) {
                let isOther = record.index.setSync(row, state, covering: clock)
                guard item.leaving == true, var state, let identifier = record.index.identifier(of: row) else {
                    return isOther
                }
                state.download = .notDownloaded
                record.entry.leaving[row] = (identifier, state)
                return isOther
            }
        }
        if let state, state.standing == .shared, state.download == .notDownloaded, let size = item.size {
            return owner.tree.showAbsent(
                path, row, size: max(size, 0), modified: Timestamp(nanoseconds: item.modified ?? 0), state: state,
                in: record.number)
        }
        return row.map { owner.tree.removeAbsent($0, in: record.number) } ?? false
    }
}

extension Engine: SyncSessions.Owner {
    var clock: QueryClock { commits.clock(question: 0) }

    func makeSessionNumber() -> Int64 { containers.makeSessionNumber() }
}
