// The states of shared items, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

/// Rows 1 and 2 are files, and 3 is a pipe, which is not sent.
@Suite struct SyncStatesTests {
    /// The newest version, which the other device has too.
    private static let current = shared(.current)
    /// An older version than the other device has.
    private static let downloaded = shared(.downloaded)

    private var states = SyncStates()
    private var rows: RowStore
    private var recorder = ChangeRecorder()

    init() throws {
        let index = MetadataIndex(root: .sample(.directory))
        for (name, kind) in [("a", .file), ("b", .file), ("pipe", .fifo)] as [(String, FileKind)] {
            _ = try index.insert(name, below: .root, .sample(kind))
        }
        rows = index.storage.rows
    }

    private static func shared(_ download: SyncState.Download) -> SyncState {
        var state = SyncState(.shared)
        (state.download, state.uploadedTo) = (download, ["other"])
        return state
    }

    /// Shares the items and has a helper say that all are current.
    private mutating func begin() {
        states.reset(isShared: true, &rows)
        states.setHelper(true, &rows, &recorder)
        states.setBase(Self.current, &rows, &recorder)
        _ = recorder.take(from: rows)
    }

    private mutating func write(_ row: UInt32, _ size: Int64) {
        recorder.record(row, of: rows)
        rows.resize(row, to: size)
    }

    /// Takes the changes as an index does.
    private mutating func take() -> ChangeSet {
        states.settle(&rows, &recorder)
        return recorder.take(from: rows)
    }

    private func state(_ row: UInt32) -> SyncState { rows.syncState(row) }

    @Test mutating func `Without a helper states are unknown, or items are not shared`() {
        #expect(!states.hasHelper && state(1) == .notShared)
        states.changeShared(true, &rows, &recorder)
        #expect(state(1) == .unknown && recorder.open.count == 3)
        states.setBase(Self.current, &rows, &recorder)
        #expect(state(1) == .unknown)
        #expect(!states.set(1, Self.current, covering: nil, &rows, &recorder))
    }

    @Test mutating func `Items that are not sent are not shared, whatever all others are`() {
        begin()
        #expect(states.hasHelper && state(1) == Self.current && state(3) == .notShared)
        #expect(!states.set(3, Self.downloaded, covering: nil, &rows, &recorder) && state(3) == .notShared)
        states.setHelper(false, &rows, &recorder)
        #expect(!states.hasHelper && state(1) == .unknown && state(3) == .unknown)
    }

    @Test mutating func `A changed item has a state of its own until a later report covers it`() {
        begin()
        write(1, 5)
        let clock = take().clock
        #expect(state(1) == Self.current.afterChange && state(2) == Self.current)
        states.cover(through: clock - 1, &rows, &recorder)
        #expect(state(1) == Self.current.afterChange && recorder.open.isEmpty)
        states.cover(through: clock, &rows, &recorder)
        #expect(state(1) == Self.current && recorder.open.count == 1)
    }

    @Test mutating func `A report on an item does not cover a later change`() {
        begin()
        write(1, 5)
        let clock = take().clock
        #expect(!states.set(1, Self.downloaded, covering: clock - 1, &rows, &recorder))
        #expect(state(1) == Self.downloaded.afterChange)
        #expect(states.set(1, Self.downloaded, covering: clock, &rows, &recorder) && state(1) == Self.downloaded)
        #expect(!states.set(1, Self.downloaded, covering: clock, &rows, &recorder))
    }

    @Test mutating func `An item that only got another time of its inode did not change`() {
        begin()
        recorder.record(1, of: rows)
        var values = rows.values(1)
        values.changed += 1
        rows.writable(1).setValues(1, values)
        #expect(take().count == 1 && state(1) == Self.current)
    }

    @Test mutating func `States of their own are told a few at a time, without uncovered changes`() {
        begin()
        for row in [1, 2] as [UInt32] { _ = states.set(row, Self.downloaded, covering: nil, &rows, &recorder) }
        _ = take()
        let first = states.reported(from: 0, limit: 1, of: rows)
        #expect(first.states.map(\.row) == [1] && first.next == 2)
        let rest = states.reported(from: 2, limit: 9, of: rows)
        #expect(rest.states.map(\.row) == [2] && rest.next == nil)
        write(2, 5)
        _ = take()
        #expect(states.reported(from: 0, limit: 9, of: rows).states.map(\.row) == [1])
    }

    @Test mutating func `A state that becomes that of all items is none of its own`() {
        begin()
        _ = states.set(1, Self.downloaded, covering: nil, &rows, &recorder)
        states.setBase(Self.downloaded, &rows, &recorder)
        #expect(state(1) == Self.downloaded && state(2) == Self.downloaded && rows.sync[1] == nil)
    }
}
