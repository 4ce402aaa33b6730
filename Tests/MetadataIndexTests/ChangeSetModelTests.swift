// Change sets and the log against the model's history.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct ChangeSetModelTests {
    /// Each set names exactly the rows that differ, with the state that they had; the view of the past gives every row as it
    /// was, paths included.
    @Test(arguments: TestLength.part(of: 101...112 as ClosedRange<UInt64>, oneIn: 2))
    func setsTellThePast(seed: UInt64) throws {
        var pair = Pair(seed: seed)
        for turn in 0..<150 {
            let past = pair.model
            for _ in 0..<Int.random(in: 0...(turn % 10 == 0 ? 60 : 6), using: &pair.generator) {
                let (what, failure) = try pair.step()
                try #require(failure == nil, "seed \(seed), turn \(turn), \(what)")
            }
            let clock = pair.index.clock
            let set = pair.index.takeChanges()
            try #require(pair.index.clock == clock + (set.isEmpty ? 0 : 1))
            let wrong = ChangeSetModelTests.difference(set, past, pair.model, pair.index)
            try #require(wrong == nil, "seed \(seed), turn \(turn)")
        }
    }

    /// The log merges any suffix to the same as the two ends tell, and says nil exactly before its floor.
    @Test(arguments: TestLength.part(of: 201...208 as ClosedRange<UInt64>, oneIn: 2))
    func logMergesSuffixes(seed: UInt64) throws {
        let log = ChangeLog(
            maximumChanges: seed % 2 == 0 ? 120 : 1 << 20, maximumBytes: seed % 4 == 3 ? 12_000 : 1 << 30)
        var pair = Pair(seed: seed, log: log)
        var history: [UInt64: Model] = [0: pair.model]
        for turn in 0..<120 {
            for _ in 0..<Int.random(in: 0...5, using: &pair.generator) {
                let (what, failure) = try pair.step()
                try #require(failure == nil, "seed \(seed), turn \(turn), \(what)")
            }
            _ = pair.index.takeChanges()
            history[pair.index.clock] = pair.model
            let since = UInt64.random(in: 0...pair.index.clock, using: &pair.generator)
            guard let set = pair.index.changes(since: since) else {
                try #require(since < pair.index.earliestClock, "seed \(seed), turn \(turn)")
                continue
            }
            try #require(since >= pair.index.earliestClock, "seed \(seed), turn \(turn)")
            try #require(set.since == since && set.clock == pair.index.clock)
            let wrong = ChangeSetModelTests.difference(set, history[since]!, pair.model, pair.index)
            try #require(wrong == nil, "seed \(seed), turn \(turn), since \(since)")
        }
        #expect(pair.index.changes(since: pair.index.clock)?.isEmpty == true)
        #expect(pair.index.changes(since: pair.index.clock + 1) == nil)
        if log.maximumChanges == 120 || log.maximumBytes == 12_000 {
            #expect(pair.index.earliestClock > 0, "seed \(seed)")
            #expect(pair.index.logByteCount <= log.maximumBytes, "seed \(seed)")
        } else {
            #expect(pair.index.earliestClock == 0, "seed \(seed)")
        }
    }

    static func difference(_ set: ChangeSet, _ past: Model, _ now: Model, _ index: MetadataIndex) -> String? {
        let before = past.own
        let after = now.own
        var expected: Set<Row> = []
        for row in Set(before.keys).union(after.keys) where before[row] != after[row] { expected.insert(row) }
        let rows = (0..<set.count).map { set.row(at: $0) }
        if Set(rows) != expected || rows.count != expected.count { return "rows \(rows), not \(expected)" }
        for (at, row) in rows.enumerated() {
            if set.index(of: row) != at { return "\(row) is not found in the set" }
            if set.hasPreImage(at: at) != (before[row] != nil) { return "\(row): has a pre-image" }
            let preImage = set.preImage(at: at).map {
                Model.Own(
                    id: $0.identifier, parent: $0.parent, name: set.withPreImageName(at: at) { Array($0) },
                    status: $0.status, xattrs: $0.xattrs.orNone, package: set.preImagePackage(at: at),
                    conflicts: set.preImageConflicts(at: at))
            }
            if preImage != before[row] { return "\(row) was \(String(describing: before[row]))" }
            let transition: ChangeSet.Transition? =
                switch (before[row]?.id, after[row]?.id) {
                case (nil, let new?): .added(new)
                case (let old?, nil): .removed(old)
                case (let old?, let new?): old == new ? .changed(new) : .replaced(former: old, current: new)
                case (nil, nil): nil
                }
            if set.transition(at: at, in: index) != transition { return "\(row): transition" }
        }
        return past.difference(from: set.preImageView(in: index.snapshot()), rows: index.allRows, isLoose: true)
    }
}
