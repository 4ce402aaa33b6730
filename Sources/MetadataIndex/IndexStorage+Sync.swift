// States of items that are shared with other devices.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The helper tells exceptions, and one state for all other items. An item that changes here has a state of its own from
/// its change set on: no other device has it. A report about a later moment ends that. So an item never counts as uploaded
/// between its change and the helper's look at it.
extension IndexStorage {
    // MARK: Changes

    /// Gives items whose content, name or place changed in the open set the state after a change.
    /// Complexity: O(rows of the set) in a container with a helper, else O(1).
    mutating func settleSync() {
        guard syncChanges != nil, !recorder.open.isEmpty else { return }
        var unsent: [UInt32] = []
        for change in recorder.open.changes where change.row != 0 {
            let row = change.row
            guard rows.isLive(row) else {
                rows.sync[row] = nil
                syncChanges?[row] = nil
                continue
            }
            // The helper tells the states of items that are not here.
            if rows.values(row).inode == 0 || !isChanged(change) { continue }
            noteSyncChange(row)
            if rows.kind(row).isDirectory, hasOtherSendability(change) {
                rows.forEachDescendant(row) { below in
                    unsent.append(below.number)
                    return true
                }
            }
        }
        for row in unsent {
            recorder.recordDerived(row, of: rows)
            noteSyncChange(row)
        }
    }

    private mutating func noteSyncChange(_ row: UInt32) {
        syncChanges?[row] = recorder.clock + 1
        setOwnState(row, stateAfterChange(row))
    }

    /// Whether a directory of the open set got a name that is text in place of one that is not, or the reverse.
    private func hasOtherSendability(_ change: ChangeSet.Change) -> Bool {
        guard change.former != ChangeSet.noFormer else { return false }
        let wasText = recorder.open.formers.withName(recorder.open.formers.record(change)) { $0.isText }
        return wasText != rows.withName(change.row) { $0.isText }
    }

    /// Whether Syncthing sends an item: it sends no special files, and no names that are not UTF-8.
    private func isSent(_ row: UInt32) -> Bool {
        guard rows.kind(row).isSentToOtherDevices else { return false }
        var at = row
        while at != 0 {
            if !rows.withName(at, { $0.isText }) { return false }
            at = rows.parent(at)
        }
        return true
    }

    private func stateAfterChange(_ row: UInt32) -> SyncState {
        isSent(row) ? rows.syncBase.afterChange : .notShared
    }

    /// Whether a live row of the open set has another item, content, name or place. The times of directories follow from
    /// their entries.
    private func isChanged(_ change: ChangeSet.Change) -> Bool {
        guard change.former != ChangeSet.noFormer else { return true }
        let record = recorder.open.formers.record(change)
        let block = rows.block(change.row)
        let slot = RowStore.slot(change.row)
        guard record.generation == block.generation[slot], record.parent == block.parent[slot] else { return true }
        let values = block.values(slot)
        guard values.kind == record.values.kind, values.inode == record.values.inode else { return true }
        if !values.kind.isDirectory, values.size != record.values.size || values.modified != record.values.modified {
            return true
        }
        let name = block.nameBytes(slot)
        return !recorder.open.formers.withName(record) { $0.elementsEqual(name) }
    }

    /// Gives a row a state without recording it. A state that all items have is none of its own.
    private mutating func setOwnState(_ row: UInt32, _ state: SyncState) {
        rows.sync[row] = state == rows.syncBase ? nil : state
    }

    // MARK: Reports

    /// The container is shared from now on, or is not. Only before it has items.
    mutating func setShared(_ isShared: Bool) {
        rows.isShared = isShared
        rows.syncBase = isShared ? .unknown : .notShared
    }

    /// The container with its items is shared from now on, or is not. No helper may be there. All items have another state.
    mutating func changeShared(_ isShared: Bool) {
        guard rows.isShared != isShared else { return }
        settle()
        if !recorder.hasUnrecorded { recorder.recordAllLive(of: rows) }
        rows.sync = SparseColumn()
        syncChanges = nil
        setShared(isShared)
    }

    /// A helper begins to tell the states, or none does any more. All states are unknown.
    mutating func setHelper(_ isThere: Bool) {
        guard rows.isShared else { return }
        settle()
        if !recorder.hasUnrecorded { recorder.recordAllLive(of: rows) }
        rows.sync = SparseColumn()
        rows.syncBase = .unknown
        syncChanges = isThere ? [:] : nil
        guard isThere else { return }
        for row in 1..<slots.slotCount where rows.isLive(row) {
            if rows.kind(row).isSentToOtherDevices, rows.withName(row, { $0.isText }) { continue }
            rows.sync[row] = .notShared
            guard rows.kind(row).isDirectory else { continue }
            let all = rows
            all.forEachDescendant(row) { below in
                rows.sync[below.number] = .notShared
                return true
            }
        }
    }

    /// Sets the state of all items that have none of their own. Complexity: O(rows) if it changes.
    mutating func setSyncBase(_ base: SyncState) {
        guard syncChanges != nil, base != rows.syncBase else { return }
        settle()
        if !recorder.hasUnrecorded { recorder.recordAllLive(of: rows) }
        let before = rows.syncBase.afterChange
        // Those of whose state more was told keep it.
        let changed = (syncChanges?.keys.sorted() ?? []).filter { rows.syncState($0) == before }
        rows.syncBase = base
        for row in changed where rows.isLive(row) { setOwnState(row, stateAfterChange(row)) }
        // A state that was told and is now that of all items.
        var same: [UInt32] = []
        rows.sync.forEach { row, state in if state == base { same.append(row) } }
        for row in same { rows.sync[row] = nil }
    }

    /// Tells the state of an item; nil for that of all. While a change of the item is not covered by a report, no other
    /// device has it. Returns whether the row has another state now; false while a change is not covered.
    mutating func setSync(_ row: UInt32, _ state: SyncState?, covering clock: UInt64?) -> Bool {
        guard syncChanges != nil, row != 0, rows.isLive(row) else { return false }
        let isCovered = syncChanges?[row].map { changed in clock.map { changed <= $0 } ?? false } ?? true
        if isCovered { syncChanges?[row] = nil }
        guard isSent(row) else { return false }
        let told = state ?? rows.syncBase
        let isOther = replaceState(row, by: isCovered ? told : told.afterChange)
        return isCovered && isOther
    }

    /// Returns the states of their own of the rows from one on, as they were told, in the order of rows: at most `limit`, and the
    /// row after the last one that was looked at; nil after all. Complexity: O(rows with a state of their own).
    func toldStates(from first: UInt32, limit: Int) -> (states: [(row: UInt32, state: SyncState)], next: UInt32?) {
        var found: [(row: UInt32, state: SyncState)] = []
        var next: UInt32?
        rows.sync.forEach(from: first) { row, state in
            if found.count >= limit {
                next = row
                return false
            }
            if syncChanges?[row] == nil, rows.isLive(row), isSent(row) { found.append((row, state)) }
            return true
        }
        return (found, next)
    }

    /// Changes up to a clock are covered by a report: their items have the state of all.
    mutating func coverSync(through clock: UInt64) {
        guard let changes = syncChanges else { return }
        for row in changes.filter({ $0.value <= clock }).keys.sorted() {
            syncChanges?[row] = nil
            guard rows.isLive(row), isSent(row) else { continue }
            _ = replaceState(row, by: rows.syncBase)
        }
    }

    private mutating func replaceState(_ row: UInt32, by state: SyncState) -> Bool {
        guard rows.syncState(row) != state else { return false }
        recorder.recordDerived(row, of: rows)
        setOwnState(row, state)
        return true
    }
}

extension FileKind {
    /// Whether Syncthing sends items of this kind.
    fileprivate var isSentToOtherDevices: Bool {
        switch self {
        case .file, .directory, .package, .symlink: true
        case .fifo, .socket, .characterDevice, .blockDevice: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it is UTF-8. Most names are ASCII.
    fileprivate var isText: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
