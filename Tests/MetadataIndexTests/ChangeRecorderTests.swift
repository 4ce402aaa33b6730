// The recorder of changes, with rows and without an index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import MetadataIndex

@Suite struct ChangeRecorderTests {
    private var rows: RowStore
    private var recorder = ChangeRecorder()

    init() throws { rows = try RowStore.files(["a", "b", "c"]) }

    @Test mutating func `A set has the first state of each row that differs now`() {
        recorder.record(1, of: rows)
        rows.resize(1, to: 10)
        recorder.record(1, of: rows)
        rows.resize(1, to: 20)
        recorder.record(2, of: rows)
        recorder.record(0, of: rows)
        #expect(recorder.hasAny && recorder.clock == 0)
        let set = recorder.take(from: rows)
        #expect(set.count == 1 && set.row(at: 0) == Row(1) && set.preImage(at: 0)?.status.size == 0)
        #expect(set.since == 0 && set.clock == 1 && recorder.clock == 1 && !recorder.hasAny)
    }

    @Test mutating func `A set in which all returned to their states does not advance the clock`() {
        recorder.record(1, of: rows)
        rows.resize(1, to: 10)
        rows.resize(1, to: 0)
        #expect(recorder.hasAny)
        #expect(recorder.take(from: rows).isEmpty && recorder.clock == 0)
        #expect(recorder.take(from: rows).isEmpty && recorder.clock == 0)
    }

    @Test mutating func `The log tells what changed since a clock, with the open set`() {
        for size in 1...3 as ClosedRange<Int64> {
            recorder.record(1, of: rows)
            rows.resize(1, to: size)
            _ = recorder.take(from: rows)
        }
        recorder.record(2, of: rows)
        rows.resize(2, to: 9)
        let changes = recorder.changes(since: 1, in: rows)
        #expect(changes?.count == 2 && changes?.preImage(at: 0)?.status.size == 1)
        #expect(recorder.changeCount(since: 1) == 3)
        #expect(recorder.changes(since: 4, in: rows) == nil && recorder.changeCount(since: 4) == nil)
    }

    @Test mutating func `Unrecorded rows cut the log, and derived changes are not recorded beside them`() {
        recorder.record(1, of: rows)
        rows.resize(1, to: 1)
        _ = recorder.take(from: rows)
        recorder.recordDerived(2, of: rows)
        #expect(recorder.open.count == 1)
        recorder.noteUnrecorded()
        recorder.recordDerived(3, of: rows)
        #expect(recorder.open.count == 1 && recorder.changes(since: 1, in: rows) == nil)
        #expect(recorder.take(from: rows).isEmpty)
        #expect(recorder.clock == 2 && recorder.floor == 2 && recorder.changes(since: 1, in: rows) == nil)
    }

    @Test mutating func `Occupants that came within the open set are new`() {
        #expect(!recorder.isNew(1, in: rows))
        recorder.recordInsertion(1)
        recorder.record(2, of: rows)
        #expect(recorder.isNew(1, in: rows) && !recorder.isNew(2, in: rows) && !recorder.isNew(0, in: rows))
        rows.writable(2).generation[2] += 1
        #expect(recorder.isNew(2, in: rows))
    }

    @Test mutating func `Rows that are recorded at once keep their states, those that were recorded before too`() {
        recorder.record(1, of: rows)
        rows.resize(1, to: 1)
        recorder.recordAllLive(of: rows)
        for row in 1...3 as ClosedRange<UInt32> { rows.resize(row, to: 7) }
        let set = recorder.take(from: rows)
        #expect(set.count == 3)
        for at in 0..<set.count { #expect(set.preImage(at: at)?.status.size == 0) }
    }

    @Test mutating func `Another device number holds for pre-images that were taken and that are open`() {
        recorder.record(1, of: rows)
        rows.resize(1, to: 1)
        _ = recorder.take(from: rows)
        recorder.record(2, of: rows)
        rows.resize(2, to: 2)
        recorder.renumber(device: 7, to: 8)
        for place in rows.common.indices { rows.common[place].device = 8 }
        let changes = recorder.changes(since: 0, in: rows)
        #expect(changes?.count == 2)
        for at in 0..<(changes?.count ?? 0) { #expect(changes?.preImage(at: at)?.status.device == 8) }
    }
}
