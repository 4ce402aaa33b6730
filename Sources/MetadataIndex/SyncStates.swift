// The states of items that are shared with other devices.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The helper tells exceptions, and one state for all other items. An item that changes here has a state of its own from
/// its change set on: no other device has it. A report about a later moment ends that. So an item never counts as uploaded
/// between its change and the helper's look at it.
struct SyncStates {
    /// The shared items that changed and that no report of the helper has covered yet, each with the clock of its last change; nil
    /// without a helper.
    private var changes: [UInt32: UInt64]?

    /// Whether a helper tells the states.
    var hasHelper: Bool { changes != nil }

    // MARK: Changes

    /// Gives items whose content, name or place changed in the open set the state after a change.
    /// Complexity: O(rows of the set) in a container with a helper, else O(1).
    mutating func settle(_ rows: inout RowStore, _ recorder: inout ChangeRecorder) {
        guard changes != nil, !recorder.open.isEmpty else { return }
        var unsent: [UInt32] = []
        for change in recorder.open.changes where change.row != 0 {
            let row = change.row
            guard rows.isLive(row) else {
                rows.sync[row] = nil
                changes?[row] = nil
                continue
            }
            // The helper tells the states of items that are not here.
            if rows.values(row).inode == 0 || !SyncStates.isChanged(change, in: recorder.open, rows) { continue }
            note(row, at: recorder.clock + 1, &rows)
            if rows.kind(row).isDirectory, SyncStates.hasOtherSendability(change, in: recorder.open, rows) {
                rows.forEachDescendant(row) { below in
                    unsent.append(below.number)
                    return true
                }
            }
        }
        for row in unsent {
            recorder.recordDerived(row, of: rows)
            note(row, at: recorder.clock + 1, &rows)
        }
    }

    private mutating func note(_ row: UInt32, at clock: UInt64, _ rows: inout RowStore) {
        changes?[row] = clock
        rows.setOwnState(row, rows.stateAfterChange(row))
    }

    /// Whether a directory of the open set got a name that is text in place of one that is not, or the reverse.
    private static func hasOtherSendability(
        _ change: ChangeSet.Change, in open: borrowing ChangeSet, _ rows: borrowing RowStore
    ) -> Bool {
        guard change.preImage != ChangeSet.noPreImage else { return false }
        let wasText = open.preImages.withName(open.preImages.record(change)) { $0.isText }
        return wasText != rows.withName(change.row) { $0.isText }
    }

    /// Whether a live row of the open set has another item, content, name or place. The times of directories follow from
    /// their entries.
    private static func isChanged(_ change: ChangeSet.Change, in open: borrowing ChangeSet, _ rows: borrowing RowStore)
        -> Bool
    {
        guard change.preImage != ChangeSet.noPreImage else { return true }
        let record = open.preImages.record(change)
        let block = rows.block(change.row)
        let slot = RowStore.slot(change.row)
        guard record.generation == block.generation[slot], record.parent == block.parent[slot] else { return true }
        let values = block.values(slot)
        guard values.kind == record.values.kind, values.inode == record.values.inode else { return true }
        if !values.kind.isDirectory, values.size != record.values.size || values.modified != record.values.modified {
            return true
        }
        let name = block.nameBytes(slot)
        return !open.preImages.withName(record) { $0.elementsEqual(name) }
    }

    // MARK: Reports

    /// The container with its items is shared from now on, or is not. No helper may be there. All items have another state.
    mutating func changeShared(_ isShared: Bool, _ rows: inout RowStore, _ recorder: inout ChangeRecorder) {
        recorder.recordDerivedOfAllLive(of: rows)
        reset(isShared: isShared, &rows)
    }

    /// The container is shared or not, and a helper has to begin anew. Records nothing.
    mutating func reset(isShared: Bool, _ rows: inout RowStore) {
        rows.sync = SparseColumn()
        rows.isShared = isShared
        rows.syncBase = isShared ? .unknown : .notShared
        changes = nil
    }

    /// A helper begins to tell the states, or none does any more. All states are unknown.
    mutating func setHelper(_ isThere: Bool, _ rows: inout RowStore, _ recorder: inout ChangeRecorder) {
        guard rows.isShared else { return }
        recorder.recordDerivedOfAllLive(of: rows)
        reset(isShared: true, &rows)
        guard isThere else { return }
        changes = [:]
        for row in 1..<rows.slotCount where rows.isLive(row) {
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
    mutating func setBase(_ base: SyncState, _ rows: inout RowStore, _ recorder: inout ChangeRecorder) {
        guard changes != nil, base != rows.syncBase else { return }
        recorder.recordDerivedOfAllLive(of: rows)
        let before = rows.syncBase.afterChange
        // Those of whose state more was told keep it.
        let changed = (changes?.keys.sorted() ?? []).filter { rows.syncState($0) == before }
        rows.syncBase = base
        for row in changed where rows.isLive(row) { rows.setOwnState(row, rows.stateAfterChange(row)) }
        // A state that was told and is now that of all items.
        var same: [UInt32] = []
        rows.sync.forEach { row, state in if state == base { same.append(row) } }
        for row in same { rows.sync[row] = nil }
    }

    /// Sets the state of an item; nil for that of all. While a change of the item is not covered by a report, no other
    /// device has it. Returns whether the row has another state now; false while a change is not covered.
    mutating func set(
        _ row: UInt32, _ state: SyncState?, covering clock: UInt64?, _ rows: inout RowStore,
        _ recorder: inout ChangeRecorder
    ) -> Bool {
        guard changes != nil, row != 0, rows.isLive(row) else { return false }
        let isCovered = changes?[row].map { changed in clock.map { changed <= $0 } ?? false } ?? true
        if isCovered { changes?[row] = nil }
        guard rows.isSent(row) else { return false }
        let reported = state ?? rows.syncBase
        let isOther = SyncStates.replace(row, by: isCovered ? reported : reported.afterChange, &rows, &recorder)
        return isCovered && isOther
    }

    /// Returns the states of their own of the rows from one on, as they were told, in the order of rows: at most `limit`, and the
    /// row after the last one that was looked at; nil after all. Complexity: O(rows with a state of their own).
    func reported(
        from first: UInt32, limit: Int, of rows: RowStore
    ) -> (states: [(row: UInt32, state: SyncState)], next: UInt32?) {
        var found: [(row: UInt32, state: SyncState)] = []
        var next: UInt32?
        rows.sync.forEach(from: first) { row, state in
            if found.count >= limit {
                next = row
                return false
            }
            if changes?[row] == nil, rows.isLive(row), rows.isSent(row) { found.append((row, state)) }
            return true
        }
        return (found, next)
    }

    /// Changes up to a clock are covered by a report: their items have the state of all.
    mutating func cover(through clock: UInt64, _ rows: inout RowStore, _ recorder: inout ChangeRecorder) {
        for row in (changes ?? [:]).filter({ $0.value <= clock }).keys.sorted() {
            changes?[row] = nil
            guard rows.isLive(row), rows.isSent(row) else { continue }
            _ = SyncStates.replace(row, by: rows.syncBase, &rows, &recorder)
        }
    }

    private static func replace(
        _ row: UInt32, by state: SyncState, _ rows: inout RowStore, _ recorder: inout ChangeRecorder
    ) -> Bool {
        guard rows.syncState(row) != state else { return false }
        recorder.recordDerived(row, of: rows)
        rows.setOwnState(row, state)
        return true
    }
}

extension RowStore {
    /// Whether Syncthing sends an item: it sends no special files, and no names that are not UTF-8.
    fileprivate func isSent(_ row: UInt32) -> Bool {
        guard kind(row).isSentToOtherDevices else { return false }
        var at = row
        while at != 0 {
            if !withName(at, { $0.isText }) { return false }
            at = parent(at)
        }
        return true
    }

    fileprivate func stateAfterChange(_ row: UInt32) -> SyncState {
        isSent(row) ? syncBase.afterChange : .notShared
    }

    /// Gives a row a state without recording it. A state that all items have is none of its own.
    fileprivate mutating func setOwnState(_ row: UInt32, _ state: SyncState) {
        sync[row] = state == syncBase ? nil : state
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
