// Helpers that tell the states of shared containers.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import MetadataIndex
import Varlink

extension Engine {
    /// Begins a session for a container that is exact. An earlier one for it ends.
    func beginSync(of record: ContainerRecord, _ call: VarlinkCall) {
        endSync(of: record)
        let session = SyncSession(number: containers.makeSessionNumber(), call: call)
        record.sync = session
        call.onClose = { [weak self, weak record] in
            guard let self, let record, record.sync === session else { return }
            record.sync = nil
            forgetSync(of: record)
        }
        absorb(record)
        record.index.setHelper(true)
        session.unconfirmed = tree.absentItems(of: record.number)
        record.entry.leaving = [:]
        absorb(record)
        call.reply(
            SyncInterface.Attach.Reply(session: session.number, clock: commits.clock(question: 0).text), continues: true)
        turn()
    }

    /// Ends the session of a container, and tells its helper.
    func endSync(of record: ContainerRecord) {
        guard let session = record.sync else { return }
        record.sync = nil
        session.call.onClose = nil
        session.call.fail(SyncError.superseded(identifier: record.identifier))
        forgetSync(of: record)
    }

    /// All states of a container are unknown.
    private func forgetSync(of record: ContainerRecord) {
        guard !turns.isClosed, record.index.hasHelper else { return }
        absorb(record)
        record.index.setHelper(false)
        absorb(record)
        turn()
    }

    /// Takes a report. Its changes go to the live queries in this turn. Returns the count of its items that it changed.
    func takeReport(
        _ report: SyncInterface.Report.Request, of record: ContainerRecord, _ session: SyncSession
    ) -> Int {
        // Earlier changes have their clocks now.
        absorb(record)
        let covered = report.through.flatMap { QueryClock(text: $0) }.flatMap { clock in
            clock.run == commits.run ? record.clocks.indexClock(at: clock.sequence) : nil
        }
        if let base = report.base { record.index.setSyncBase(SyncState(base)) }
        var changed = 0
        for item in report.items ?? [] where take(item, of: record, covering: covered) { changed += 1 }
        if let covered {
            record.index.coverSync(through: covered)
            for row in session.unconfirmed.sorted() { tree.removeAbsent(row, in: record.number) }
            session.unconfirmed = []
        }
        absorb(record)
        turn()
        return changed
    }

    /// Returns a part of the states that were told, from a row on.
    func toldStates(of record: ContainerRecord, from: Int64?) -> SyncInterface.States.Reply {
        let first = from.flatMap { UInt32(exactly: $0) }.map { Row($0) } ?? .root
        let index = record.index
        let (states, next) = index.toldStates(from: first, limit: Limits.toldStates)
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
            record.sync?.unconfirmed.remove(row)
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
            return tree.showAbsent(
                path, row, size: max(size, 0), modified: Timestamp(nanoseconds: item.modified ?? 0), state: state,
                in: record.number)
        }
        return row.map { tree.removeAbsent($0, in: record.number) } ?? false
    }
}

extension MetadataIndex {
    /// Returns the item at a path below the container's directory. Complexity: O(depth).
    func row(at path: [UInt8]) -> Row? {
        var row = Row.root
        for name in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let child = name.withUnsafeBytes { self.child(of: row, named: $0) }
            guard let child else { return nil }
            row = child
        }
        return row == .root ? nil : row
    }
}

extension SyncState {
    /// Reads a state as it travelled. Percentages out of their range are brought into it.
    init(_ message: SyncStateMessage) {
        self.init(message.shared == false ? .notShared : .shared)
        guard standing == .shared else { return }
        switch message.download {
        case .notDownloaded: download = .notDownloaded
        case .downloaded: download = .downloaded
        case .current, .other, nil: download = .current
        }
        isDownloading = message.downloading ?? false
        isUploading = message.uploading ?? false
        percentDownloaded = message.percentDownloaded.map { UInt8(min(max($0, 0), 100)) }
        percentUploaded = message.percentUploaded.map { UInt8(min(max($0, 0), 100)) }
        uploadedTo = message.uploadedTo ?? []
        downloadingError = message.downloadingError
        uploadingError = message.uploadingError
        savingDevice = message.savingDevice
    }
}

extension SyncStateMessage {
    /// A state as it travels. Reading it with ``SyncState/init(_:)`` gives the same state.
    init(_ state: SyncState) {
        self.init(shared: state.standing == .shared)
        guard state.standing == .shared else { return }
        switch state.download {
        case .notDownloaded: download = .notDownloaded
        case .downloaded: download = .downloaded
        case .current: download = .current
        }
        downloading = state.isDownloading
        uploading = state.isUploading
        percentDownloaded = state.percentDownloaded.map { Int64($0) }
        percentUploaded = state.percentUploaded.map { Int64($0) }
        uploadedTo = state.uploadedTo
        downloadingError = state.downloadingError
        uploadingError = state.uploadingError
        savingDevice = state.savingDevice
    }
}
