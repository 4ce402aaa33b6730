// Live queries that are not read cost a change nothing, and miss nothing.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

@testable import LiveQueries
@testable import MetadataIndex

@Suite struct SuspensionTests {
    private static let file = NaiveTree.status(.file)

    /// A tree with live queries that hold all of it.
    private struct World {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 100, walkLimit: 4_096)
        var made = 0

        init() { registry.pendingBeforeSuspension = 10 }

        /// A world whose change log keeps few changes.
        init(changesKept: Int) {
            self.init()
            tree.index.storage.recorder = ChangeRecorder(log: ChangeLog(maximumChanges: changesKept))
        }

        mutating func insert(_ count: Int) throws {
            for _ in 0..<count {
                try tree.insert("f\(made)", SuspensionTests.file)
                made += 1
            }
            registry.process(tree.index.takeChanges(), in: tree.index)
        }

        func watch(_ text: String, user: UInt32 = 0) throws -> LiveQuery {
            let predicate = try Predicate(parsing: text, mode: .metadata)
            let plan = QueryPlan(predicate, environment: .test(tree.index))
            let query = registry.add(plan, attributes: [.path], user: user)
            query.gather(plan.selectTolerantly(in: tree.index.snapshot()).selection)
            _ = query.takeFirst(limit: .max)
            return query
        }

        /// Stops reading for a query; its subscriber reads what the others have pending.
        func stopReading(_ unread: LiveQuery) { registry.isUnread = { $0 === unread } }

        /// Runs a background update, and returns the queries that subscribers are looked at for.
        @discardableResult
        func finish(_ update: BackgroundUpdate) -> [LiveQuery] {
            update.run()
            return registry.finish(update, in: tree.index) + registry.goOn(after: update, in: tree.index)
        }

        func finishAll() {
            while case let updates = registry.takeBackgroundUpdates(), !updates.isEmpty {
                for update in updates { finish(update) }
            }
        }
    }

    @Test func unreadQueryKeepsFewItemsAndIsToldAllOfThemLater() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        let read = try world.watch("kind == 'file'")
        world.stopReading(unread)
        for _ in 0..<100 {
            try world.insert(20)
            #expect(read.take(limit: .max, in: world.tree.index).added.count == 20)
        }
        // One change set made more pending than it may keep; the next ones were not brought to it.
        #expect(unread.suspendedSince != nil && unread.pendingCount == 20 && !unread.hasPending)
        #expect(read.suspendedSince == nil)
        #expect(world.registry.count == 2)
        let update = try #require(world.registry.bringBack(unread, in: world.tree.index))
        // Changes of the meantime are brought to it when it is back.
        try world.insert(5)
        world.finish(update)
        #expect(unread.suspendedSince == nil && !unread.isAway && unread.count == 2_005)
        let rows = unread.take(limit: .max, in: world.tree.index).added
        #expect(rows.count == 2_005 && Set(rows).count == 2_005)
    }

    @Test func unreadQueryIsToldTheNetDifference() throws {
        var world = World()
        try world.insert(3)
        let unread = try world.watch("kind == 'file'")
        world.stopReading(unread)
        let old = try world.tree.insert("old", Self.file)
        try world.insert(20)
        try world.insert(20)
        #expect(unread.suspendedSince != nil)
        // An item that comes and goes while it is suspended is not mentioned.
        let passing = try world.tree.insert("passing", Self.file)
        world.registry.process(world.tree.index.takeChanges(), in: world.tree.index)
        try world.tree.remove(try #require(passing))
        try world.tree.remove(try #require(old))
        world.registry.process(world.tree.index.takeChanges(), in: world.tree.index)
        world.finish(try #require(world.registry.bringBack(unread, in: world.tree.index)))
        let delta = unread.take(limit: .max, in: world.tree.index)
        // It was never told of `old`, which came before it was suspended and went after.
        #expect(delta.added.count == 40 && delta.removed.isEmpty && delta.changed.isEmpty)
        #expect(unread.count == 43)
    }

    @Test func queryWhoseChangesAreNoLongerKeptIsLost() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        world.stopReading(unread)
        try world.insert(20)
        try world.insert(1)
        #expect(unread.suspendedSince != nil && !unread.hasLostChanges)
        let file = try #require(try world.tree.insert("often", Self.file))
        world.registry.process(world.tree.index.takeChanges(), in: world.tree.index)
        var told: [LiveQuery] = []
        for number in 0..<MetadataIndex.changesKept + 2 * Suspensions.changesBetweenChecks where !unread.hasLostChanges
        {
            try world.tree.move(file, to: nil, number % 2 == 0 ? "even" : "odd")
            told = world.registry.process(world.tree.index.takeChanges(), in: world.tree.index)
        }
        #expect(unread.hasLostChanges && told.contains { $0 === unread })
        #expect(world.registry.bringBack(unread, in: world.tree.index) == nil)
        #expect(unread.pendingCount == 0)
        world.registry.remove(unread)
        #expect(world.registry.count == 0)
    }

    @Test func aSuspendedQueryThatEndsLeavesNothing() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        world.stopReading(unread)
        for _ in 0..<3 { try world.insert(20) }
        #expect(unread.suspendedSince != nil)
        world.registry.remove(unread)
        #expect(world.registry.count == 0)
        #expect(world.registry.bringBack(unread, in: world.tree.index) == nil)
        let next = try world.watch("kind == 'file'")
        try world.insert(1)
        #expect(next.take(limit: .max, in: world.tree.index).added.count == 1)
    }

    @Test func unreadQueriesAreSuspendedBeforeALongChangeSet() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        let read = try world.watch("kind == 'file'")
        for number in 0..<200 { try world.tree.insert("long\(number)", Self.file) }
        let before = world.tree.index.clock
        let changes = world.tree.index.takeChanges()
        world.stopReading(unread)
        world.registry.process(changes, in: world.tree.index)
        let updates = world.registry.takeBackgroundUpdates()
        #expect(updates.count == 1)
        for update in updates { world.finish(update) }
        #expect(read.take(limit: .max, in: world.tree.index).added.count == 200)
        #expect(unread.pendingCount == 0 && unread.suspendedSince == before)
        world.finish(try #require(world.registry.bringBack(unread, in: world.tree.index)))
        #expect(unread.take(limit: .max, in: world.tree.index).added.count == 200)
    }

    @Test func backgroundUpdatesAreMadeForOneUserEach() throws {
        var world = World()
        let queries = try [1, 2, 1, 2, 3].map { try world.watch("kind == 'file'", user: $0) }
        try world.insert(200)
        let updates = world.registry.takeBackgroundUpdates()
        #expect(updates.map(\.user).sorted() == [1, 2, 3])
        for update in updates { world.finish(update) }
        #expect(queries.allSatisfy { $0.take(limit: .max, in: world.tree.index).added.count == 200 })
    }

    // MARK: Queries that are not suspended

    /// A batch time of a minute holds many items for a subscriber that reads.
    @Test func queryWhoseSubscriberReadsIsNotSuspended() throws {
        var world = World(changesKept: 1_000)
        let read = try world.watch("name BEGINSWITH 'f'")
        for _ in 0..<3 { try world.insert(20) }
        // Two long change sets, the second while the first is applied in the background.
        try world.insert(120)
        try world.insert(120)
        world.finishAll()
        #expect(read.suspendedSince == nil && read.pendingCount == 300)
        let other = try #require(try world.tree.insert("other", Self.file))
        for number in 0..<2 * Suspensions.changesBetweenChecks {
            try world.tree.move(other, to: nil, number % 2 == 0 ? "even" : "odd")
            world.registry.process(world.tree.index.takeChanges(), in: world.tree.index)
        }
        #expect(world.tree.index.earliestClock > 5)
        #expect(!read.hasLostChanges && !read.isAway)
        #expect(read.take(limit: .max, in: world.tree.index).added.count == 300)
    }

    /// A large directory that leaves the container is one change set. The change log may keep none of it.
    @Test(arguments: [0, 20]) func changeSetBeyondTheChangeLogSuspendsNothing(pending: Int) throws {
        var world = World(changesKept: 150)
        let unread = try world.watch("kind == 'file'")
        try world.insert(pending)
        world.stopReading(unread)
        try world.insert(200)
        #expect(unread.suspendedSince == nil && !unread.hasLostChanges)
        world.finishAll()
        #expect(unread.take(limit: .max, in: world.tree.index).added.count == pending + 200)
    }

    @Test func changeSetBeyondTheChangeLogSuspendsNoQueryThatReturns() throws {
        var world = World(changesKept: 150)
        let unread = try world.watch("kind == 'file'")
        try world.insert(120)
        try world.insert(200)
        world.stopReading(unread)
        world.finishAll()
        #expect(unread.suspendedSince == nil && !unread.hasLostChanges && !unread.isAway)
        #expect(unread.take(limit: .max, in: world.tree.index).added.count == 320)
    }

    /// The paths that were published last are known only until the query is suspended.
    @Test func queryThatContinuesWithAnotherPlanIsNotSuspended() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        try world.insert(120)
        try world.insert(120)
        let other = QueryPlan(
            try Predicate(parsing: "kind == 'file'", mode: .metadata), environment: .test(world.tree.index))
        _ = world.registry.look(unread, by: other, in: world.tree.index)
        world.stopReading(unread)
        world.finishAll()
        #expect(unread.suspendedSince == nil && !unread.isAway && unread.hasPending)
        #expect(unread.take(limit: .max, in: world.tree.index).added.count == 240)
    }

    // MARK: Flush

    /// A client with one thread may wait for Flush before it reads its live query.
    @Test func flushDoesNotWaitForAQueryThatIsSuspendedMeanwhile() throws {
        var world = World()
        let unread = try world.watch("kind == 'file'")
        try world.insert(120)
        try world.insert(120)
        let clock = world.tree.index.clock
        #expect(!unread.isCaughtUp(with: clock))
        world.stopReading(unread)
        let update = try #require(world.registry.takeBackgroundUpdates().first)
        let back = world.finish(update)
        #expect(unread.suspendedSince != nil && unread.isCaughtUp(with: clock))
        // Its pending items are counted again.
        #expect(back.count { $0 === unread } == 2)
        // Flush waits if the subscriber reads before that.
        unread.isReturning = true
        #expect(!unread.isCaughtUp(with: clock))
        let returning = try #require(world.registry.bringBack(unread, in: world.tree.index))
        #expect(!unread.isCaughtUp(with: clock))
        world.finish(returning)
        #expect(unread.isCaughtUp(with: clock))
    }
}
