// Live queries that search inside packages and archives, while directories around items change.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

@Suite struct MovedPlacesTests {
    private static let directory = NaiveTree.status(.directory)
    private static let package = NaiveTree.status(.package)
    private static let viewer = Viewer(
        Credentials(user: 1_000, groups: [100]), above: [],
        root: FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none))

    /// A tree with live queries, whose changes are applied at once or, with no row allowed there, in background updates.
    private struct Scene {
        var tree = NaiveTree()
        let registry: LiveQueryRegistry

        init(rowLimit: Int) { registry = LiveQueryRegistry(rowLimit: rowLimit, walkLimit: 4_096) }

        func watch(
            _ text: String, _ attributes: AttributeSet, in directories: [String], hasPackages: Bool = false,
            viewer: Viewer? = nil
        ) throws -> LiveQuery {
            let plan = QueryPlan(
                try Predicate(parsing: text, mode: .metadata),
                scopes: [.whole] + directories.map { .directory(Array($0.utf8)) },
                environment: .test(tree.index, viewer: viewer, hasPackages: hasPackages))
            let query = registry.add(plan, attributes: attributes)
            query.gather(plan.selectTolerantly(in: tree.index.snapshot()).selection)
            _ = query.takeFirst(limit: .max)
            return query
        }

        /// Applies the changes, and returns what the query tells of them.
        func news(of query: LiveQuery) -> [String] {
            registry.process(tree.index.takeChanges(), in: tree.index)
            var updates = registry.takeBackgroundUpdates()
            while let update = updates.popLast() {
                update.run()
                _ = registry.finish(update, in: tree.index)
                registry.goOn(after: update, in: tree.index)
                updates += registry.takeBackgroundUpdates()
            }
            let delta = query.take(limit: .max, in: tree.index)
            func path(_ row: Row) -> String {
                var bytes: [UInt8] = []
                tree.index.appendPath(of: row, to: &bytes)
                return String(decoding: bytes, as: UTF8.self)
            }
            let count = query.plan.selectTolerantly(in: tree.index.snapshot()).selection.count
            #expect(query.count == count)
            return delta.added.map { "+ " + path($0) } + delta.changed.map { "~ " + path($0.row) }
                + delta.removed.map { "- " + String(decoding: $0.path, as: UTF8.self) }
        }
    }

    /// The scope names a place, and not the archive that was there when the query began.
    @Test(arguments: [[Attribute.name], [.path]], [0, 1_024])
    func `Items of an archive go and come with the place that is searched`(
        asked: [Attribute], rowLimit: Int
    ) throws {
        var scene = Scene(rowLimit: rowLimit)
        let a = try #require(try scene.tree.insert("a", Self.directory))
        let archive = try #require(try scene.tree.insert(".gather", in: a, Self.directory))
        let trash = try #require(try scene.tree.insert("trash", in: archive, Self.directory))
        try scene.tree.insert("notes.txt", in: trash, NaiveTree.status(.file))
        _ = scene.tree.index.takeChanges()
        let query = try scene.watch("kind == 'file'", AttributeSet(asked), in: ["a/.gather"])
        #expect(query.count == 1)
        // The archive gets another name, it goes elsewhere, and the directory around it goes.
        try scene.tree.move(archive, to: a, ".stversions")
        #expect(scene.news(of: query) == ["- a/.gather/trash/notes.txt"])
        try scene.tree.move(archive, to: a, ".gather")
        #expect(scene.news(of: query) == ["+ a/.gather/trash/notes.txt"])
        try scene.tree.move(archive, to: nil, ".gather")
        #expect(scene.news(of: query) == ["- a/.gather/trash/notes.txt"])
        try scene.tree.move(archive, to: a, ".gather")
        #expect(scene.news(of: query) == ["+ a/.gather/trash/notes.txt"])
        try scene.tree.move(a, to: nil, "b")
        #expect(scene.news(of: query) == ["- a/.gather/trash/notes.txt"])
        try scene.tree.move(a, to: nil, "a")
        #expect(scene.news(of: query) == ["+ a/.gather/trash/notes.txt"])
    }

    @Test(arguments: [[Attribute.name], [.path]], [0, 1_024])
    func `Items of a package go and come with the place that is searched`(
        asked: [Attribute], rowLimit: Int
    ) throws {
        var scene = Scene(rowLimit: rowLimit)
        let album = try #require(try scene.tree.insert("album", Self.package))
        let pages = try #require(try scene.tree.insert("pages", in: album, Self.directory))
        try scene.tree.insert("page.txt", in: pages, NaiveTree.status(.file))
        _ = scene.tree.index.takeChanges()
        let query = try scene.watch("kind == 'file'", AttributeSet(asked), in: ["album/pages"], hasPackages: true)
        #expect(query.count == 1)
        try scene.tree.move(album, to: nil, "other")
        #expect(scene.news(of: query) == ["- album/pages/page.txt"])
        try scene.tree.move(album, to: nil, "album")
        #expect(scene.news(of: query) == ["+ album/pages/page.txt"])
        try scene.tree.move(pages, to: album, "sheets")
        #expect(scene.news(of: query) == ["- album/pages/page.txt"])
    }

    /// The directory in between is in the set of changes itself, so that the file is tested below that one.
    @Test(arguments: [0, 1_024])
    func `A file below a changed directory of a new archive has no conflict versions`(rowLimit: Int) throws {
        var scene = Scene(rowLimit: rowLimit)
        var open = Self.directory
        open.mode = 0o755
        let kept = try #require(try scene.tree.insert("kept", open))
        let middle = try #require(try scene.tree.insert("middle", in: kept, open))
        try scene.tree.insert("a", in: middle, NaiveTree.status(.file))
        try scene.tree.insert("a.sync-conflict-20261107-120509-ABCDEFG", in: middle, NaiveTree.status(.file))
        _ = scene.tree.index.takeChanges()
        let query = try scene.watch(
            "name == 'a'", [.name, .conflictVersions], in: [".gather"], viewer: Self.viewer)
        try #require(query.count == 1)
        try scene.tree.move(kept, to: nil, ".gather")
        try scene.tree.update(middle) { $0.mode = 0o705 }
        #expect(scene.news(of: query) == ["~ .gather/middle/a"])
        try scene.tree.move(kept, to: nil, "kept")
        try scene.tree.update(middle) { $0.mode = 0o755 }
        #expect(scene.news(of: query) == ["~ kept/middle/a"])
    }

    /// No query follows places here, so only the access to the upper directory leads to the file.
    @Test(arguments: [0, 1_024])
    func `A file that goes out of sight is told with its former path`(rowLimit: Int) throws {
        var open = Self.directory
        open.mode = 0o755
        var scene = Scene(rowLimit: rowLimit)
        let upper = try #require(try scene.tree.insert("upper", open))
        let lower = try #require(try scene.tree.insert("lower", in: upper, open))
        try scene.tree.insert("a", in: lower, NaiveTree.status(.file))
        _ = scene.tree.index.takeChanges()
        let query = try scene.watch("name == 'a'", [.name], in: [], viewer: Self.viewer)
        try #require(query.count == 1)
        try scene.tree.update(upper) { $0.mode = 0o700 }
        try scene.tree.move(lower, to: upper, "secret")
        #expect(scene.news(of: query) == ["- upper/lower/a"])
    }
}
