// Scopes as trees of names.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LiveQueries

@Suite struct ScopeTreeTests {
    private func tree(_ paths: String...) -> ScopeTree { ScopeTree(paths.map { .directory(Array($0.utf8)) }) }
    private func covers(_ tree: ScopeTree, _ path: String) -> Bool { tree.covers(path: Array(path.utf8)) }

    @Test func aDirectoryCoversWhatLiesBelowItAndNotItself() {
        let scope = tree("a/b")
        #expect(covers(scope, "a/b/c") && covers(scope, "a/b/c/d"))
        #expect(!covers(scope, "a/b") && !covers(scope, "a") && !covers(scope, "a/bc") && !covers(scope, "b/a/b"))
    }

    @Test func dataIsAllButWhatLiesBelowDocuments() {
        let data = ScopeTree([.data])
        let documents = ScopeTree([.documents])
        for path in ["a", "Documents", "Documents/a", "Documents/a/b", "a/Documents/b", "Documents2/a", "documents/a"] {
            let below = path.hasPrefix("Documents/")
            #expect(covers(documents, path) == below, "\(path)")
            #expect(covers(data, path) == !below, "\(path)")
        }
        #expect(ScopeTree([.documents, .data]).isWhole)
    }

    @Test func scopesJoin() {
        #expect(tree("").isWhole && ScopeTree([.whole, .documents]).isWhole)
        #expect(ScopeTree([]).isEmpty && !tree("a").isEmpty)
        #expect(Set(tree("a/b", "a", "c/d", "a/b/c").directories ?? []) == [Array("a".utf8), Array("c/d".utf8)])
        #expect(ScopeTree([.data, .directory(Array("Documents/a".utf8))]).directories == nil)
        let branches = ["a/b/c", "a/b/d/e", "a/f", "g/h"]
        #expect(
            (ScopeTree(branches.map { .directory(Array($0.utf8)) }).directories ?? [])
                .map { String(decoding: $0, as: UTF8.self) }.sorted() == branches)
        // In whatever order they are named.
        for scope in [tree("a/b/c", "a"), tree("a", "a/b/c")] {
            #expect(covers(scope, "a/b/x") && covers(scope, "a/x"))
        }
    }

    /// Where everything is in scope, a directory that is named besides opens the packages and archives at its place.
    @Test func aNamedDirectoryDependsOnPlace() {
        let directory = QueryScope.directory(Array(".gather".utf8))
        #expect(ScopeTree([.whole, directory]).dependsOnPlace && ScopeTree([directory]).dependsOnPlace)
        #expect(ScopeTree([.documents]).dependsOnPlace)
        #expect(!ScopeTree([.whole]).dependsOnPlace && !tree("").dependsOnPlace)
        #expect(!ScopeTree([.documents, .data]).dependsOnPlace)
    }

    @Test func manyDirectoriesInOne() {
        let scope = ScopeTree((0..<100).map { .directory(Array("d\($0)".utf8)) })
        #expect(covers(scope, "d57/x") && !covers(scope, "d100/x") && !covers(scope, "d57"))
    }
}
