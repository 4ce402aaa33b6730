// A one-shot answer, from snapshots to replies, a piece at a time and on any thread.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import MetadataIndex
import PredicateLanguage
import Varlink

/// One container's part of an answer: a snapshot to scan, and how.
struct AnswerPart: Sendable {
    let plan: QueryPlan
    let snapshot: IndexSnapshot
    var renderer: ItemRenderer
}

/// The items of an answer as replies, made one after the other. A value that goes from thread to thread with the work.
struct Answer: Sendable {
    private enum Rows: Sendable {
        /// Row after row of one container after the other.
        case unsorted([RowSelection.Iterator])
        /// In the order asked for, each with the part that it is of.
        case sorted(ArraySlice<SortOrder.Place>)
    }

    private var parts: [AnswerPart]
    private var rows: Rows
    private var part = 0
    private var left: Int
    /// How many items the answer has in all.
    let count: Int
    /// Bytes that it keeps until it is taken, besides the blocks of its snapshots (``snapshots``).
    let bytes: Int
    /// How many each part found.
    let counts: [Int]

    /// Scans the snapshots, unless `guard` ends it. Throws the errors of the scan, and `LimitExceeded`. Complexity:
    /// O(rows).
    init(
        _ parts: [AnswerPart], sortedBy keys: [SortOrder.Key] = [], limit: Int? = nil,
        sortKeyBytes: Int = Limits.sortKeyBytes, guard scanGuard: ScanGuard
    ) throws {
        self.parts = parts
        var selections: [RowSelection] = []
        for part in parts { selections.append(try part.plan.select(in: part.snapshot, guard: scanGuard)) }
        counts = selections.map(\.count)
        let found = counts.reduce(0, +)
        count = min(found, limit ?? found)
        left = count
        if keys.isEmpty {
            rows = .unsorted(selections.map { $0.makeIterator() })
            // A bit for each row.
            bytes = parts.reduce(0) { $0 + $1.snapshot.count / 8 }
        } else {
            let sources = zip(parts, selections).map {
                SortOrder.Source(selection: $1, snapshot: $0.snapshot, environment: $0.plan.environment)
            }
            let places: [SortOrder.Place]
            do throws(SortOrder.Failure) {
                places = try SortOrder(keys).apply(
                    to: sources, limit: limit, maximumBytes: sortKeyBytes, guard: scanGuard)
            } catch {
                guard case .tooManyBytes(let limit) = error else { throw error }
                throw QueryError.limitExceeded(limit: "sortKeyBytes", value: Int64(limit))
            }
            bytes = places.count * MemoryLayout<SortOrder.Place>.stride
            rows = .sorted(places[...])
        }
    }

    var isFinished: Bool { left == 0 }

    /// The snapshots that it reads, each with the epoch of its index.
    var snapshots: [(epoch: UInt64, snapshot: IndexSnapshot)] {
        parts.map { ($0.plan.environment.epoch, $0.snapshot) }
    }

    /// Writes the next items into an array that is open, until there are no more or enough for one reply.
    mutating func writeItems(to writer: inout JSONWriter, maximumItems: Int, maximumBytes: Int) {
        var written = 0
        while left > 0, written < maximumItems, writer.count < maximumBytes {
            guard let row = nextRow() else {
                left = 0
                return
            }
            parts[part].renderer.write(row, of: parts[part].snapshot, to: &writer)
            left -= 1
            written += 1
        }
    }

    private mutating func nextRow() -> Row? {
        switch rows {
        case .sorted(var slice):
            rows = .unsorted([])
            let next = slice.popFirst()
            rows = .sorted(slice)
            if let next, next.source != part {
                part = next.source
                parts[part].renderer.forgetPlaces()
            }
            return next?.row
        case .unsorted(var iterators):
            rows = .unsorted([])
            defer { rows = .unsorted(iterators) }
            while part < iterators.count {
                if let row = iterators[part].next() { return row }
                part += 1
            }
            part = max(0, iterators.count - 1)
            return nil
        }
    }
}
