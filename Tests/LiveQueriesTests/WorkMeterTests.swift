// The work that costly live queries of one user may take, and the queries that end past it.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

@Suite struct WorkMeterTests {
    private static let allowance = WorkMeter.Allowance(free: 10, most: 1_000, capacity: 2_000, perSecond: 1_000_000)

    private func query(_ meter: WorkMeter) throws -> LiveQuery {
        let predicate = try Predicate(parsing: "name MATCHES '(a|b)+'", mode: .metadata)
        let environment = PlanEnvironment(
            container: "c", rootPath: [], epoch: 1, accounts: NoNames(), now: Timestamp(nanoseconds: 0))
        return LiveQuery(QueryPlan(predicate, environment: environment), attributes: [.name], number: 0, meter: meter)
    }

    private final class NoNames: AccountNaming {
        func knows(user number: UInt32) -> Bool { true }
        func knows(group number: UInt32) -> Bool { true }
        func agrees(with other: any AccountNaming) -> Bool { true }
        func user(_ number: UInt32) -> [UInt8] { [] }
        func group(_ number: UInt32) -> [UInt8] { [] }
    }

    @Test func quickTestsAreFree() throws {
        let meter = WorkMeter(Self.allowance) { _ in Issue.record("overworked") }
        let query = try query(meter)
        for now in 0..<100_000 as Range<UInt64> {
            #expect(meter.admits(query, at: now))
            meter.charge(query, from: now, to: now + 10)
        }
        #expect(!query.wasCharged)
    }

    @Test func theOneThatTakesMuchEnds() throws {
        var ended = 0
        let meter = WorkMeter(Self.allowance) { _ in ended += 1 }
        let hostile = try query(meter)
        let regular = try query(meter)
        var tests = 0
        while tests < 1_000, meter.admits(hostile, at: 1) {
            // Waiting for a processor is no work of the query's.
            meter.charge(hostile, from: 1, to: 1_000_001)
            tests += 1
        }
        #expect(tests == 3)
        #expect(ended == 1)
        #expect(hostile.isOverworked)
        #expect(!meter.admits(hostile, at: 10_000_000_000))
        #expect(ended == 1)
        #expect(meter.admits(regular, at: 1))
        // A user cannot take work without end by beginning anew.
        var begun = 0
        while begun < 1_000, meter.admits(try query(meter), at: 1) {
            meter.charge(try query(meter), from: 1, to: 500)
            begun += 1
        }
        #expect(begun < 10)
        #expect(!meter.admits(regular, at: 1))
    }

    @Test func timeFillsItAgain() throws {
        let meter = WorkMeter(Self.allowance) { _ in }
        let first = try query(meter)
        for _ in 0..<3 { meter.charge(first, from: 5, to: 1_005) }
        #expect(!meter.admits(first, at: 5))
        let second = try query(meter)
        meter.charge(second, from: 5, to: 20)
        // A millionth of a second fills a nanosecond; a day no more than there is room for.
        #expect(meter.admits(second, at: 2_000_000_000))
        for _ in 0..<3 { meter.charge(second, from: 2_000_000_000, to: 2_000_001_000) }
        #expect(!meter.admits(second, at: 2_000_000_000))
        let third = try query(meter)
        third.wasCharged = true
        #expect(meter.admits(third, at: .max))
    }

    /// When an item comes to match or ceases to with time is found out by testing it, too.
    @Test func lookingForMomentsIsCounted() throws {
        let second: Int64 = 1_000_000_000
        var tree = NaiveTree()
        let registry = LiveQueryRegistry()
        let names = (0..<1_000).map { "'n\($0)'" }.joined(separator: ", ")
        let predicate = try Predicate(
            parsing: "modified < $time.now(-3600) AND name IN {\(names)}", mode: .metadata)
        registry.process(tree.index.takeChanges(), in: tree.index)
        let environment = PlanEnvironment.test(tree.index, now: Timestamp(nanoseconds: 10_000 * second))
        let free = WorkMeter(.init(free: .max, most: 1, capacity: 1, perSecond: 0)) { _ in Issue.record("overworked") }
        let meter = WorkMeter(.init(free: 0, most: 1, capacity: 1, perSecond: 0)) { _ in }
        let plan = QueryPlan(predicate, environment: environment)
        let (query, other) = (
            registry.add(plan, attributes: [.name], meter: meter), registry.add(plan, attributes: [.name], meter: free)
        )
        for query in [query, other] { query.gather(plan.selectTolerantly(in: tree.index.snapshot()).selection) }
        _ = registry.advance(to: environment.now, in: tree.index)
        for update in registry.takeBackgroundUpdates() {
            update.run()
            _ = registry.finish(update, in: tree.index)
        }
        #expect(!query.isAway && query.nextMoment == nil && other.nextMoment == nil)
        var status = NaiveTree.status(.file)
        status.modified = environment.now
        let number = try #require(try tree.insert("n999", status))
        let item = try #require(tree.rows[number])
        let snapshot = tree.index.snapshot()
        var place = ItemPlace()
        #expect(query.noteMoment(item.row, in: snapshot, &place))
        #expect(query.wasCharged && !query.isOverworked)
        // Nothing is left for it, so it must end, and no item is looked at for it any more.
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.isOverworked)
        #expect(!query.noteMoment(item.row, in: snapshot, &place))
        #expect(other.nextMoment == environment.now.nanoseconds + 3_600 * second)
    }
}
