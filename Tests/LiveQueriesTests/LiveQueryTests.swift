// The updates of a live query in the cases that people ask about.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

/// A tree and one query that has gathered and taken its first results.
private struct Scene {
    var tree = NaiveTree()
    let registry = LiveQueryRegistry()

    func watch(
        _ text: String, _ attributes: AttributeSet = [.name], scopes: [QueryScope] = [.whole], now: Int64 = 0,
        viewer: Viewer? = nil
    ) throws -> LiveQuery {
        let environment = PlanEnvironment.test(tree.index, now: Timestamp(nanoseconds: now), viewer: viewer)
        let plan = QueryPlan(try Predicate(parsing: text, mode: .metadata), scopes: scopes, environment: environment)
        let query = registry.add(plan, attributes: attributes)
        let (selection, errors) = plan.selectTolerantly(in: tree.index.snapshot())
        query.gather(selection, errors: errors)
        _ = query.takeFirst(limit: .max)
        return query
    }

    @discardableResult
    func process() -> [LiveQuery] { registry.process(tree.index.takeChanges(), in: tree.index) }

    /// Lets time pass, until nothing of it is being worked out.
    func advance(to now: Int64) {
        tell(now)
        var updates = registry.takeBackgroundUpdates()
        while let update = updates.popLast() {
            update.run()
            _ = registry.finish(update, in: tree.index)
            registry.goOn(after: update, in: tree.index)
            tell(now)
            updates += registry.takeBackgroundUpdates()
        }
    }

    /// Tells the time, as the engine does, where somebody asks for it.
    private func tell(_ now: Int64) {
        if registry.nextMoment != nil { _ = registry.advance(to: Timestamp(nanoseconds: now), in: tree.index) }
    }

    func take(_ query: LiveQuery, limit: Int = .max) -> [String] {
        let delta = query.take(limit: limit, in: tree.index)
        func path(_ row: Row) -> String {
            var bytes: [UInt8] = []
            tree.index.appendPath(of: row, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return delta.added.map { "+ " + path($0) }
            + delta.changed.map { "~ " + ($0.previousPath.map { text($0) + " -> " } ?? "") + path($0.row) }
            + delta.removed.map { "- " + text($0.path) }
    }
}

private func file(_ size: Int64 = 0) -> FileStatus { NaiveTree.status(.file, size: size) }
private let directory = NaiveTree.status(.directory)

@Suite struct LiveQueryTests {
    @Test func itemsComeChangeAndGo() throws {
        var scene = Scene()
        scene.process()
        let query = try scene.watch("size > 10")
        let a = try #require(try scene.tree.insert("a", file(5)))
        #expect(scene.process().isEmpty)
        try scene.tree.update(a) { $0.size = 20 }
        #expect(scene.process().map { $0 === query } == [true])
        #expect(query.hasPending && query.count == 1)
        #expect(scene.take(query) == ["+ a"])
        try scene.tree.update(a) { $0.size = 30 }
        scene.process()
        #expect(scene.take(query) == ["~ a"])
        try scene.tree.update(a) { $0.size = 3 }
        scene.process()
        #expect(scene.take(query) == ["- a"])
        #expect(query.count == 0 && !query.hasPending)
    }

    /// A program that saves by writing beside the document and renaming over it.
    @Test func aSavedDocumentIsChanged() throws {
        var scene = Scene()
        let document = try #require(try scene.tree.insert("note.txt", file(5)))
        scene.process()
        let query = try scene.watch("name ENDSWITH '.txt'", [.path])
        let temporary = try #require(try scene.tree.insert(".note.txt", file(9)))
        scene.process()
        try scene.tree.replace(document, with: temporary)
        scene.process()
        #expect(scene.take(query) == ["~ note.txt"])
        #expect(query.count == 1)
    }

    @Test func anItemThatCameAndWentIsNotMentioned() throws {
        var scene = Scene()
        scene.process()
        let query = try scene.watch("")
        // More of them than would fit if they were kept.
        for round in 0..<1_000 {
            let item = try #require(try scene.tree.insert("t\(round)", file()))
            scene.process()
            try scene.tree.remove(item)
            scene.process()
            #expect(query.pendingCount == 0)
        }
        #expect(scene.take(query) == [] && query.count == 0)
    }

    @Test func aRemovedItemWhoseSlotIsTakenAgainIsTwoItems() throws {
        var scene = Scene()
        let a = try #require(try scene.tree.insert("a", file()))
        scene.process()
        let query = try scene.watch("")
        let old = try #require(scene.tree.rows[a])
        try scene.tree.remove(a)
        let b = try #require(try scene.tree.insert("b", file()))
        scene.process()
        let new = try #require(scene.tree.rows[b])
        #expect(old.row == new.row && old != new)
        let delta = query.take(limit: 10, in: scene.tree.index)
        #expect(delta.removed == [DeltaItem.Removed(identifier: old, path: Array("a".utf8))])
        #expect(delta.added == [new.row] && delta.changed.isEmpty)
    }

    /// Only those who asked for what follows from the place hear of a directory above.
    @Test func aDirectoryMovesForThoseWhoAskWhere() throws {
        var scene = Scene()
        let top = try #require(try scene.tree.insert("top", directory))
        let sub = try #require(try scene.tree.insert("sub", in: top, directory))
        try scene.tree.insert("f", in: sub, file())
        scene.process()
        let name = try scene.watch("name == 'f'", [.name, .size])
        let path = try scene.watch("name == 'f'", [.path])
        let depth = try scene.watch("name == 'f'", [.depth])
        let scope = try scene.watch("name == 'f'", [.scope])
        let predicate = try scene.watch("path ENDSWITH 'top/sub/f'", [])
        let below = try scene.watch("name == 'f'", [], scopes: [.directory(Array("top/sub".utf8))])
        let documents = try scene.watch("kind == 'file'", [], scopes: [.documents])
        try scene.tree.move(top, to: nil, "other")
        scene.process()
        #expect(scene.take(name) == [] && scene.take(depth) == [] && scene.take(scope) == [])
        #expect(scene.take(path) == ["~ top/sub/f -> other/sub/f"])
        #expect(scene.take(predicate) == ["- top/sub/f"] && scene.take(below) == ["- top/sub/f"])
        try scene.tree.move(sub, to: nil, "sub")
        scene.process()
        #expect(scene.take(depth) == ["~ sub/f"] && scene.take(scope) == [])
        try scene.tree.move(sub, to: nil, "Documents")
        scene.process()
        #expect(scene.take(scope) == ["~ Documents/f"] && scene.take(documents) == ["+ Documents/f"])
        // Twice, while the subscriber does not read: the path that the subscriber knows is told.
        #expect(scene.take(path) == ["~ other/sub/f -> Documents/f"])
        try scene.tree.move(sub, to: nil, "x")
        scene.process()
        try scene.tree.move(sub, to: nil, "Documents")
        scene.process()
        #expect(scene.take(path) == ["~ Documents/f"])
        #expect(scene.take(name) == [])
    }

    /// Within one change set a directory goes, another takes its slot, and the entries of the first come to lie in it.
    @Test func anotherDirectoryInTheSlotIsAnotherPlace() throws {
        var scene = Scene()
        let old = try #require(try scene.tree.insert("old", directory))
        let sub = try #require(try scene.tree.insert("sub", in: old, directory))
        try scene.tree.insert("f", in: sub, file())
        scene.process()
        let path = try scene.watch("", [.path])
        let name = try scene.watch("name == 'sub'", [.name])
        let slot = scene.tree.rows[old]?.row
        try scene.tree.move(sub, to: nil, "sub")
        try scene.tree.remove(old)
        let new = try #require(try scene.tree.insert("new", directory))
        #expect(scene.tree.rows[new]?.row == slot)
        try scene.tree.move(sub, to: new, "sub")
        scene.process()
        #expect(
            Set(scene.take(path)) == ["+ new", "- old", "~ old/sub -> new/sub", "~ old/sub/f -> new/sub/f"])
        #expect(scene.take(name) == ["~ new/sub"])
    }

    @Test func aScopeWaitsForItsDirectory() throws {
        var scene = Scene()
        scene.process()
        let query = try scene.watch("", [.path], scopes: [.directory(Array("in/here".utf8))])
        let top = try #require(try scene.tree.insert("in", directory))
        let here = try #require(try scene.tree.insert("here", in: top, directory))
        try scene.tree.insert("f", in: here, file())
        scene.process()
        #expect(scene.take(query) == ["+ in/here/f"])
        try scene.tree.remove(here)
        scene.process()
        #expect(scene.take(query) == ["- in/here/f"])
        let other = try #require(try scene.tree.insert("elsewhere", directory))
        try scene.tree.insert("g", in: other, file())
        scene.process()
        try scene.tree.move(other, to: top, "here")
        scene.process()
        #expect(scene.take(query) == ["+ in/here/g"])
    }

    /// The tags column is filled long after an item came, and for another query.
    @Test func tagsThatBecomeKnownAreNoChange() throws {
        var scene = Scene()
        let plain = try #require(try scene.tree.insert("plain", file()))
        let tagged = try #require(try scene.tree.insert("tagged", file()))
        scene.process()
        let name = try scene.watch("")
        let reads = try scene.watch("ANY tags == 'red'")
        let asks = try scene.watch("", [.tags])
        try scene.tree.setTags(plain, [])
        try scene.tree.setTags(tagged, ["red"])
        scene.process()
        #expect(scene.take(name) == [])
        #expect(scene.take(reads) == ["+ tagged"] && scene.take(asks) == ["~ tagged"])
        try scene.tree.setTags(tagged, ["red", "blue"])
        scene.process()
        // To others nothing has changed but the time of change, where the file system keeps one.
        #expect(scene.take(name) == [] && scene.take(reads) == ["~ tagged"])
    }

    @Test func attributesWithoutReadersAreNoChange() throws {
        var scene = Scene()
        var closed = file()
        (closed.mode, closed.owner) = (0o600, 1)
        var open = closed
        open.mode = 0o644
        let hidden = try #require(try scene.tree.insert("hidden", closed))
        let shown = try #require(try scene.tree.insert("shown", open))
        try scene.tree.setTags(hidden, ["a"])
        try scene.tree.setTags(shown, ["a"])
        scene.process()
        let root = FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none)
        let viewer = Viewer(Credentials(user: 2, groups: [2]), above: [], root: root)
        let query = try scene.watch("", [.name, .tags], viewer: viewer)
        for tags in [["b"], [], ["c"]] {
            try scene.tree.setTags(hidden, tags)
            try scene.tree.setTags(shown, tags)
            scene.process()
            #expect(scene.take(query) == ["~ shown"])
        }
    }

    @Test func itemsFoundToHaveNoExtendedAttributesChangeNothing() throws {
        var scene = Scene()
        let items = try ["a", "b"].map { name in try #require(try scene.tree.insert(name, file())) }
        scene.process()
        let clock = scene.tree.index.clock
        for item in items { try scene.tree.setTags(item, []) }
        #expect(!scene.tree.index.hasChanges && scene.process().isEmpty && scene.tree.index.clock == clock)
    }

    @Test func errorsCountAsNotMatching() throws {
        var scene = Scene()
        let a = try #require(try scene.tree.insert("a", file(0)))
        scene.process()
        let query = try scene.watch("1000 / size > 3")
        #expect(query.errors.count == 1 && query.errors.first != nil && query.count == 0)
        try scene.tree.update(a) { $0.size = 100 }
        scene.process()
        #expect(scene.take(query) == ["+ a"])
        try scene.tree.update(a) { $0.size = 0 }
        scene.process()
        #expect(scene.take(query) == ["- a"])
        #expect(query.errors.count > 1)
    }

    @Test func aQueryFollowsTheClock() throws {
        var scene = Scene()
        let second: Int64 = 1_000_000_000
        for at in 1...4 {
            var status = file()
            status.modified = Timestamp(nanoseconds: Int64(at) * second)
            try scene.tree.insert("f\(at)", status)
        }
        scene.process()
        let text = "modified > $time.now(-2)"
        let query = try scene.watch(text, now: 3 * second)
        #expect(query.plan.followsClock && query.count == 3)
        scene.advance(to: 3 * second)
        scene.advance(to: 3 * second + 1)
        #expect(!query.isAway && scene.registry.nextMoment == 4 * second)
        scene.advance(to: 4 * second - 1)
        #expect(query.count == 3)
        scene.advance(to: 4 * second)
        #expect(query.count == 2)
        scene.advance(to: 5 * second)
        #expect(scene.take(query) == ["- f2", "- f3"] && query.count == 1)
        scene.advance(to: 5 * second + 1)
        #expect(scene.take(query) == [] && scene.registry.nextMoment == 6 * second)
        scene.advance(to: 3 * second)
        #expect(scene.take(query) == ["+ f2", "+ f3"] && query.count == 3)
    }

    @Test func aDeltaIsTakenInPieces() throws {
        var scene = Scene()
        scene.process()
        let query = try scene.watch("")
        for number in 0..<10 { try scene.tree.insert("f\(number)", file()) }
        scene.process()
        let delta = query.take(limit: 4, in: scene.tree.index)
        #expect(delta.added.count == 4 && delta.hasMore && query.pendingCount == 6)
        #expect(scene.take(query) == (4..<10).map { "+ f\($0)" })
        #expect(!query.hasPending)
    }

    @Test func anEndedQueryHearsNothing() throws {
        var scene = Scene()
        scene.process()
        let query = try scene.watch("")
        scene.registry.remove(query)
        scene.registry.remove(query)
        #expect(scene.registry.count == 0)
        let next = try scene.watch("")
        scene.registry.remove(query)
        try scene.tree.insert("a", file())
        #expect(scene.process().map { $0 === next } == [true])
        #expect(query.pendingCount == 0 && next.pendingCount == 1)
    }
}
