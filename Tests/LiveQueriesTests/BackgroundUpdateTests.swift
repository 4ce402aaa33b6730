// Background updates: the queries that leave together, those that hear of it when they are back, and the updates meanwhile.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

@Suite struct BackgroundUpdateTests {
    private let file = NaiveTree.status(.file)
    private let directory = NaiveTree.status(.directory)

    private func watch(
        _ text: String, _ attributes: AttributeSet, viewer: Viewer? = nil, meter: WorkMeter? = nil,
        _ tree: NaiveTree, _ registry: LiveQueryRegistry
    ) throws -> LiveQuery {
        let plan = try plan(text, viewer: viewer, tree)
        let query = registry.add(plan, attributes: attributes, meter: meter)
        query.gather(plan.selectTolerantly(in: tree.index.snapshot()).selection)
        _ = query.takeFirst(limit: .max)
        return query
    }

    private func plan(_ text: String, viewer: Viewer?, _ tree: NaiveTree) throws -> QueryPlan {
        var environment = PlanEnvironment.test(tree.index)
        environment.viewer = viewer
        return QueryPlan(try Predicate(parsing: text, mode: .metadata), environment: environment)
    }

    /// Two were away together; a directory moved meanwhile, which is the business of one of them alone. The other has
    /// something to tell when it caught up, and nothing else is going to happen.
    @Test func aQueryThatCatchesUpAloneIsNamed() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        let top = try #require(try tree.insert("top", directory))
        for number in 0..<5 { try tree.insert("below\(number)", in: top, file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let name = try watch("name BEGINSWITH 'f'", [.name], tree, registry)
        let path = try watch("", [.path], tree, registry)
        for number in 0..<5 { try tree.insert("f\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let first = try #require(registry.takeBackgroundUpdates().first)
        #expect(name.isAway && path.isAway)
        try tree.move(top, to: nil, "other")
        registry.process(tree.index.takeChanges(), in: tree.index)
        try tree.insert("f", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        first.run()
        _ = registry.finish(first, in: tree.index)
        #expect(name.isAway && name.take(limit: .max, in: tree.index).count == 5)
        let back = registry.goOn(after: first, in: tree.index)
        #expect(back.contains { $0 === name } && !name.isAway && name.pendingCount == 1)
        #expect(path.isAway && !back.contains { $0 === path })
        let second = try #require(registry.takeBackgroundUpdates().first)
        second.run()
        _ = registry.finish(second, in: tree.index)
        #expect(!path.isAway && path.count == 12)
    }

    /// Many queries lose the same items at once, before anybody has counted what is pending: those end that have most.
    @Test(arguments: [
        (24, [5, 5, 5, 5]), (12, [5, 5, nil, nil]), (6, [5, nil, nil, nil]), (3, [nil, nil, nil, nil]),
    ])
    func pendingChangesOfABackgroundUpdateAreBounded(most: Int, pending: [Int?]) throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        registry.mostPending = most
        let top = try #require(try tree.insert("top", directory))
        for number in 0..<5 { try tree.insert("f\(number)", in: top, file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let queries = try (0..<4).map { _ in try watch("kind == 'file'", [.path], tree, registry) }
        try tree.move(top, to: nil, "other")
        registry.process(tree.index.takeChanges(), in: tree.index)
        let updates = registry.takeBackgroundUpdates()
        #expect(updates.count == 1)
        for update in updates {
            update.run()
            #expect(registry.finish(update, in: tree.index).count == 4)
            registry.goOn(after: update, in: tree.index)
        }
        #expect(queries.count { $0.isOverfull } == pending.count { $0 == nil })
        #expect(
            queries.map { $0.isOverfull ? 0 : $0.pendingCount }.sorted() == pending.map { $0 ?? 0 }.sorted())
    }

    /// Paths that have to be told with what went count as well, however few items these are.
    @Test func longPathsCount() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry()
        registry.mostPending = 20
        var deepest: Int?
        for _ in 0..<40 { deepest = try tree.insert(String(repeating: "d", count: 255), in: deepest, directory) }
        let files = try (0..<5).compactMap { try tree.insert("f\($0)", in: deepest, file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let query = try watch("kind == 'file'", [.path], tree, registry)
        try tree.remove(files[0])
        registry.process(tree.index.takeChanges(), in: tree.index)
        // 40 names of 256 bytes with their slashes, and that of the file.
        #expect(query.pendingCount == 1 + (40 * 256 + 2) / 512 && !query.isOverfull)
        try tree.remove(files[1])
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.isOverfull)
    }

    /// A hostile expression must not keep the answers of others away.
    @Test func costlyQueriesLeaveApart() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        let allowance = WorkMeter.Allowance(free: 1 << 40, most: 1, capacity: 1, perSecond: 1)
        let meters = (0..<2).map { _ in WorkMeter(allowance, onOverwork: { _ in }) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let plain = try watch("", [.name], meter: meters[0], tree, registry)
        let costly = try meters.map { try watch("name MATCHES '.*1'", [.name], meter: $0, tree, registry) }
        for number in 0..<5 { try tree.insert("f\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let updates = registry.takeBackgroundUpdates()
        #expect(updates.map(\.isCostly) == [false, true, true])
        for update in updates {
            update.run()
            _ = registry.finish(update, in: tree.index)
        }
        #expect(plain.count == 5 && costly.map(\.count) == [1, 1] && !costly.contains { $0.isAway })
    }

    /// The view of another viewer is looked for off the loop if that takes long. The plan before tells nothing.
    @Test func anotherViewerIsABackgroundUpdate() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry()
        for number in 0..<5 { try tree.insert("f\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        let user = Credentials(user: 1, groups: [])
        let root = FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none)
        let sees = Viewer(user, above: [], root: root)
        let text = "name MATCHES 'f.*'"
        let query = try watch(text, [.name], viewer: sees, tree, registry)
        #expect(query.count == 5)
        func settle() {
            for update in registry.takeBackgroundUpdates() {
                update.run()
                _ = registry.finish(update, in: tree.index)
                registry.goOn(after: update, in: tree.index)
            }
        }
        try tree.insert("f5", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.hasPending)
        let closed = try plan(text, viewer: Viewer(seeingNothing: user), tree)
        #expect(!registry.look(query, by: closed, in: tree.index))
        #expect(query.isAway && !query.hasPending && query.firstCount == 0)
        // It is opened again before that is over.
        let updates = registry.takeBackgroundUpdates()
        #expect(!registry.look(query, by: try plan(text, viewer: sees, tree), in: tree.index))
        for update in updates {
            update.run()
            _ = registry.finish(update, in: tree.index)
            #expect(!query.hasPending)
            registry.goOn(after: update, in: tree.index)
        }
        settle()
        #expect(!query.isAway && query.count == 6)
        let delta = query.take(limit: .max, in: tree.index)
        #expect(delta.added.count == 1 && delta.removed.isEmpty)
        _ = registry.look(query, by: closed, in: tree.index)
        settle()
        #expect(query.count == 0 && query.take(limit: .max, in: tree.index).removed.count == 6)
        try tree.insert("f6", file)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.count == 0 && !query.hasPending)
    }

    /// A container is closed, and at once what is in it and above that gets other names: whoever saw it is told names from
    /// before, whether paths were asked for or not, and whether that is found on the event loop or not.
    @Test(arguments: [AttributeSet([.size]), [.size, .path]], ["", "name MATCHES '.*'"])
    func newNamesAreNotToldWithTheRemoval(attributes: AttributeSet, text: String) throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry()
        let (top, f, _) = try plant(&tree)
        registry.process(tree.index.takeChanges(), in: tree.index)
        registry.settle()
        let query = try watch(text, attributes, viewer: sees, tree, registry)
        try tree.move(f, to: nil, "SECRET")
        try tree.move(top, to: nil, "SECRETS")
        registry.process(tree.index.takeChanges(), in: tree.index)
        _ = registry.look(query, by: try plan(text, viewer: Viewer(seeingNothing: user), tree), in: tree.index)
        settle(registry, tree)
        #expect(removed(query, tree) == ["f", "top", "top/g"])
    }

    /// A name from before that could be told is the one that is told.
    @Test func theLastNameThatWasSeenIsTold() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry()
        let (_, f, _) = try plant(&tree)
        registry.process(tree.index.takeChanges(), in: tree.index)
        let query = try watch("name == 'f' OR name == 'h'", [.size], viewer: sees, tree, registry)
        try tree.move(f, to: nil, "h")
        registry.process(tree.index.takeChanges(), in: tree.index)
        registry.settle()
        let nothing = Viewer(seeingNothing: user)
        #expect(registry.look(query, by: try plan("name == 'f'", viewer: nothing, tree), in: tree.index))
        #expect(removed(query, tree) == ["h"])
    }

    /// The same while the answer is away with a long change, that was brought in the same turn or before.
    @Test(arguments: [AttributeSet([.size]), [.size, .path]], [false, true])
    func newNamesAreNotPublishedAfterABackgroundUpdate(attributes: AttributeSet, isCostly: Bool) throws {
        let text = isCostly ? "name MATCHES '.*'" : ""
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        let (top, f, g) = try plant(&tree)
        registry.process(tree.index.takeChanges(), in: tree.index)
        let query = try watch(text, attributes, viewer: sees, tree, registry)
        try tree.move(f, to: nil, "SECRET")
        for number in 0..<4 { try tree.insert("new\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(query.isAway)
        _ = registry.look(query, by: try plan(text, viewer: Viewer(seeingNothing: user), tree), in: tree.index)
        try tree.move(g, to: top, "SECRET")
        registry.process(tree.index.takeChanges(), in: tree.index)
        // So long that it leaves once more.
        try tree.move(top, to: nil, "SECRETS")
        for number in 4..<8 { try tree.insert("new\(number)", file) }
        registry.process(tree.index.takeChanges(), in: tree.index)
        settle(registry, tree)
        #expect(!query.isAway && query.count == 0)
        #expect(removed(query, tree) == ["f", "top", "top/g"])
    }

    private let user = Credentials(user: 1, groups: [])
    private var sees: Viewer {
        Viewer(user, above: [], root: FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none))
    }

    private func plant(_ tree: inout NaiveTree) throws -> (top: Int, f: Int, g: Int) {
        var open = directory
        open.mode = 0o755
        let top = try #require(try tree.insert("top", open))
        return (top, try #require(try tree.insert("f", file)), try #require(try tree.insert("g", in: top, file)))
    }

    private func settle(_ registry: LiveQueryRegistry, _ tree: NaiveTree) {
        var updates = registry.takeBackgroundUpdates()
        while let update = updates.popLast() {
            update.run()
            _ = registry.finish(update, in: tree.index)
            registry.goOn(after: update, in: tree.index)
            updates += registry.takeBackgroundUpdates()
        }
    }

    private func removed(_ query: LiveQuery, _ tree: NaiveTree) -> [String] {
        query.take(limit: .max, in: tree.index).removed.map { String(decoding: $0.path, as: UTF8.self) }.sorted()
    }

    /// A query that comes back after many changes has them merged with the background update, and shares that with others; few merge at once.
    @Test func aLongLogIsMergedElsewhere() throws {
        var tree = NaiveTree()
        let registry = LiveQueryRegistry(rowLimit: 3, walkLimit: 4_096)
        _ = tree.index.takeChanges()
        let since = tree.index.clock
        for number in 0..<5 {
            try tree.insert("file\(number)", file)
            _ = tree.index.takeChanges()
        }
        let past = try #require(tree.index.pastChanges(since: since))
        #expect(past.mostCount == 5 && tree.index.changeCount(since: since) == 5)
        let queries = try (0..<2).map { _ in registry.add(try plan("", viewer: nil, tree), attributes: [.name]) }
        for query in queries { registry.resume(query, from: past) }
        let updates = registry.takeBackgroundUpdates()
        #expect(updates.count == 2 && !past.isMerged && queries.allSatisfy(\.isAway))
        for update in updates {
            update.run()
            _ = registry.finish(update, in: tree.index)
        }
        #expect(past.isMerged && queries.allSatisfy { $0.pendingCount == 5 && !$0.isAway })

        let few = try #require(tree.index.pastChanges(since: tree.index.clock - 2))
        let query = registry.add(try plan("", viewer: nil, tree), attributes: [.name])
        registry.resume(query, from: few)
        #expect(registry.takeBackgroundUpdates().isEmpty && query.pendingCount == 2)
        #expect(tree.index.pastChanges(since: tree.index.clock + 1) == nil)
    }
}
