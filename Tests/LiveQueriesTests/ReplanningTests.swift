// Live queries go on with other plans: many at once, and those that had none yet.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

@Suite struct ReplanningTests {
    private let file = NaiveTree.status(.file)
    private let user = Credentials(user: 1, groups: [])

    private func tree(_ count: Int, _ registry: LiveQueryRegistry) throws -> NaiveTree {
        var tree = NaiveTree()
        for number in 0..<count { try tree.insert("f\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        registry.settle()
        return tree
    }

    private func plan(_ text: String, _ tree: NaiveTree, viewer: Viewer? = nil) throws -> QueryPlan {
        var environment = PlanEnvironment.test(tree.index)
        environment.viewer = viewer
        return QueryPlan(try Predicate(parsing: text, mode: .metadata), environment: environment)
    }

    private var closed: Viewer { Viewer(seeingNothing: user) }

    private func queries(
        _ count: Int, _ text: String, _ tree: NaiveTree, _ registry: LiveQueryRegistry
    ) throws -> [LiveQuery] {
        let plan = try plan(text, tree)
        return (0..<count).map { _ in
            let query = registry.add(plan, attributes: [.name])
            query.count(plan.selectTolerantly(in: tree.index.snapshot()).selection.count)
            return query
        }
    }

    /// Runs all background updates, and those that come of them; returns how many there were.
    @discardableResult
    private func finish(_ registry: LiveQueryRegistry, _ tree: NaiveTree) -> Int {
        var count = 0
        while case let updates = registry.takeBackgroundUpdates(), !updates.isEmpty {
            count += updates.count
            for update in updates {
                update.run()
                _ = registry.finish(update, in: tree.index)
                registry.goOn(after: update, in: tree.index)
            }
        }
        return count
    }

    /// Changes while background updates are out are put by for each of them, so there are to be few background updates.
    @Test func manyLeaveTogether() throws {
        let registry = LiveQueryRegistry()
        var tree = try tree(5_000, registry)
        let queries = try queries(200, "name ENDSWITH '7'", tree, registry)
        let other = try plan("name ENDSWITH '7'", tree, viewer: closed)
        for query in queries { #expect(!registry.look(query, by: other, in: tree.index)) }
        // A change from before they were asked for comes after they have left.
        try tree.insert("g7", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        let count = finish(registry, tree)
        #expect(count == (200 + Replanning.queriesInUpdate - 1) / Replanning.queriesInUpdate)
        for query in queries {
            #expect(!query.isAway && query.count == 0)
            #expect(query.take(limit: .max, in: tree.index).removed.count == 500)
        }
    }

    /// A few rows of many queries are as much work as many rows of a few.
    @Test func aTurnLooksAtSoManyRows() throws {
        let registry = LiveQueryRegistry()
        let tree = try tree(1_000, registry)
        let queries = try queries(20, "name ENDSWITH '7'", tree, registry)
        let other = try plan("name ENDSWITH '7'", tree, viewer: closed)
        for query in queries.prefix(10) { _ = registry.look(query, by: other, in: tree.index) }
        #expect(queries.count { $0.isAway } == 6)
        registry.settle()
        for query in queries.suffix(10) { _ = registry.look(query, by: other, in: tree.index) }
        #expect(queries.count { $0.isAway } == 12)
        finish(registry, tree)
        for query in queries { #expect(query.count == 0 && query.pendingCount == 100 && !query.isAway) }
    }

    /// The rows seen before one was away are not put together on the event loop: they may be a hundred thousand.
    @Test func rowsSeenBeforeAreMergedElsewhere() throws {
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        var tree = try tree(0, registry)
        let query = try queries(1, "", tree, registry)[0]
        for number in 0..<5 { try tree.insert("f\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        _ = registry.look(query, by: try plan("", tree, viewer: closed), in: tree.index)
        for number in 0..<5 { try tree.insert("g\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let first = try #require(registry.takeBackgroundUpdates().first)
        first.run()
        _ = registry.finish(first, in: tree.index)
        registry.goOn(after: first, in: tree.index)
        let second = try #require(registry.takeBackgroundUpdates().first)
        #expect(try #require(second.seen).isMerged == false)
        second.run()
        #expect(second.seen?.isMerged == true)
        _ = registry.finish(second, in: tree.index)
        registry.goOn(after: second, in: tree.index)
        #expect(!query.isAway && query.count == 0 && query.pendingCount == 0)
    }

    @Test(arguments: [
        ("name == 'a'", 0), ("contentType == 'text/plain'", 1), ("ANY contentTypeTree == 'text/plain'", 1),
        ("name == 'a' OR NOT (contentType == 'a/b' AND (size > 7 OR contentType IN {'a/c', 'a/d'}))", 2),
    ]) func comparisonsOfTypesAreCounted(text: String, count: Int) throws {
        #expect(try Predicate(parsing: text, mode: .metadata).typeComparisons == count)
    }

    /// One that waits for its first plan hears of nothing, and then of everything once.
    @Test(arguments: ["name BEGINSWITH 'f'", "name MATCHES 'f.*'"]) func newQueriesAreToldEverythingOnce(text: String)
        throws
    {
        let registry = LiveQueryRegistry()
        var tree = try tree(10, registry)
        let meter = WorkMeter(
            WorkMeter.Allowance(free: 5_000_000_000, most: 1, capacity: 1, perSecond: 1), onOverwork: { _ in })
        let query = registry.add(
            QueryPlan(provisionalIn: .test(tree.index)), attributes: [.name], meter: meter)
        query.count(0)
        query.awaitsPlan = true
        let gone = try #require(try tree.insert("f10", file))
        try tree.insert("f11", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        try tree.remove(gone)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.isAway && !query.hasPending && query.count == 0 && !query.isCaughtUp(with: tree.index.clock))
        let plan = try plan(text, tree)
        query.awaitsPlan = false
        _ = registry.look(query, by: plan, in: tree.index)
        for update in registry.takeBackgroundUpdates() {
            #expect(update.isCostly)
            try tree.insert("f12", file)
            registry.process(tree.index.takeChanges(), in: tree.index)
            update.run()
            _ = registry.finish(update, in: tree.index)
            registry.goOn(after: update, in: tree.index)
        }
        finish(registry, tree)
        #expect(!query.isAway && query.isCaughtUp(with: tree.index.clock))
        let delta = query.take(limit: .max, in: tree.index)
        #expect(delta.added.count == query.count && delta.removed.isEmpty && delta.changed.isEmpty)
        #expect(query.count == tree.index.count)
        #expect((query.meter != nil) == plan.isCostly)
        try tree.insert("f13", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.take(limit: .max, in: tree.index).added.count == 1)
        registry.remove(query)
        #expect(registry.count == 0)
    }
}
