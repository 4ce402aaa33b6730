// The changes of an index: those since the last take, and the log of those before.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Records pre-images of rows in the open change set, and keeps taken sets in the log. Each set that is not empty advances the clock
/// by one.
struct ChangeRecorder {
    /// The changes since the last take.
    private(set) var open = ChangeSet()
    /// Whether rows came in unrecorded since the last take.
    private(set) var hasUnrecorded = false
    /// Whether a take would advance the clock, unless all rows returned to their pre-images.
    var hasAny: Bool { !open.isEmpty || hasUnrecorded }
    /// How many sets were taken that were not empty.
    private(set) var clock: UInt64
    private var log: ChangeLog

    init(log: ChangeLog = ChangeLog(), clock: UInt64 = 0) {
        self.log = log
        self.clock = clock
    }

    // MARK: Recording

    /// Keeps the pre-image of a live row, unless the open set has the row already. The root is not an item.
    @inline(__always)
    mutating func record(_ row: UInt32, of rows: borrowing RowStore) {
        if row == 0 || open.contains(row) { return }
        let preImage = open.preImages.append(row, of: rows)
        open.append(row, preImage: preImage)
    }

    /// Records a row whose derived values are to change, unless entries were added unrecorded: the log is cut then.
    @inline(__always)
    mutating func recordDerived(_ row: UInt32, of rows: borrowing RowStore) {
        if !hasUnrecorded { record(row, of: rows) }
    }

    /// Notes that an empty slot gets an occupant.
    @inline(__always)
    mutating func recordInsertion(_ row: UInt32) {
        if !open.contains(row) { open.append(row, preImage: ChangeSet.noPreImage) }
    }

    /// Notes that rows came in that are in no set. The next take cuts the log.
    @inline(__always)
    mutating func noteUnrecorded() { hasUnrecorded = true }

    /// Whether the row's occupant came within the open set.
    func isNew(_ row: UInt32, in rows: borrowing RowStore) -> Bool {
        guard row != 0, let index = open.find(row) else { return false }
        let change = open.changes[index]
        return change.preImage == ChangeSet.noPreImage || open.preImages.generation(change) != rows.generation(row)
    }

    /// Records all live rows as they are (``recordAll(_:of:)``).
    mutating func recordAllLive(of rows: RowStore) {
        var all = RowBits(blocks: rows.blocks.count)
        for at in rows.blocks.indices {
            for word in 0..<Block.words {
                all.insert(rows.blocks[at].block.isLive[word], atWord: at * Block.words + word)
            }
        }
        recordAll(all, of: rows)
    }

    /// Records all live rows, whose derived values are to change, unless entries were added unrecorded.
    mutating func recordDerivedOfAllLive(of rows: RowStore) {
        if !hasUnrecorded { recordAllLive(of: rows) }
    }

    /// Records rows as they are, except those that are in the open set already. The set holds their blocks until it is gone.
    mutating func recordAll(_ all: borrowing RowBits, of rows: RowStore) {
        var unrecorded = copy all
        unrecorded.remove(0)
        // Rows that were detached within the open set may have had more slots.
        for change in open.changes where Int(change.row >> 6) < unrecorded.words.count { unrecorded.remove(change.row) }
        if unrecorded.count == 0 { return }
        guard let preImage = open.preImages.hold(rows) else {
            unrecorded.forEach { record($0, of: rows) }
            return
        }
        open.append(unrecorded, preImage: preImage)
    }

    // MARK: Taking

    /// Returns the open set without rows that returned to their pre-image, and begins another. The set is in the log then.
    mutating func take(from rows: RowStore) -> ChangeSet {
        var set = ChangeSet()
        swap(&set, &open)
        // So that the set reads owners and modes without the index.
        set.preImages.lend(rows)
        set.dropVoid(in: rows)
        set.since = clock
        set.clock = clock
        if set.isEmpty, !hasUnrecorded { return set }
        clock += 1
        set.clock = clock
        if hasUnrecorded {
            hasUnrecorded = false
            log.cut(at: clock)
        } else {
            log.append(set)
        }
        return set
    }

    // MARK: The log

    /// The clock to which the log reaches back.
    var floor: UInt64 { log.floor }
    /// Bytes held by the log.
    var logByteCount: Int { log.byteCount }

    /// Returns the merged changes since a clock, open ones included; nil if the log does not reach back.
    func changes(since: UInt64, in rows: RowStore) -> ChangeSet? {
        reachesBack(to: since) ? ChangeSet(merging: log, open, since: since, until: clock, rows) : nil
    }

    /// Returns the changes since a clock, merged on first use; nil if the log does not reach back.
    func pastChanges(since: UInt64, current: IndexSnapshot) -> PastChanges? {
        reachesBack(to: since)
            ? PastChanges(since: since, log: log.tail(since: since), open: open, current: current) : nil
    }

    /// Returns how many changes there were since a clock before they are merged; nil if the log does not reach back.
    func changeCount(since: UInt64) -> Int? {
        reachesBack(to: since) ? log.count(since: since) + open.count : nil
    }

    private func reachesBack(to since: UInt64) -> Bool { since >= log.floor && since <= clock && !hasUnrecorded }

    /// Drops the oldest part of the log for which `isKept` is false (``ChangeLog/shorten(at:unless:)``).
    mutating func shortenLog(unless isKept: ([FileAccess]) -> Bool) { log.shorten(at: clock, unless: isKept) }

    /// Gives a file system another device number in all pre-images.
    mutating func renumber(device: UInt64, to other: UInt64) {
        log.renumber(device: device, to: other)
        open.preImages.renumber(device: device, to: other)
    }
}
