// Containers whose entries are known from before: changes from while no process watched are found, and nothing else is told.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@Suite struct KnownContainerTests {
    let directory = TemporaryDirectory()

    /// A tree that knows the directory as it is now, without a watcher.
    func knownTree() throws -> DictionaryTree {
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle("first crawl")
        fixture.watcher.close()
        fixture.tree.log = []
        return fixture.tree
    }

    /// Verifies the tree; at the end it is equal to the directory.
    @discardableResult
    func verify(
        _ tree: DictionaryTree, ignoring globs: [String] = [], _ context: String = #function,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> WatcherFixture {
        let fixture = try WatcherFixture(tree: tree)
        fixture.watcher.addContainer(1, path: directory.path, ignoring: globs, isKnown: true)
        #expect(fixture.watcher.state(of: 1) == .verifying, "\(context)", sourceLocation: sourceLocation)
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live }, context)
        expectEqual(
            tree, directory.path, context, ignoring: { globs.contains($0) }, sourceLocation: sourceLocation)
        let figures = fixture.watcher.figures(of: 1)
        #expect(figures.watches == figures.directories, "\(context)", sourceLocation: sourceLocation)
        return fixture
    }

    @Test func nothingChanged() throws {
        for a in 0..<10 {
            directory.makeDirectory("d\(a)")
            for b in 0..<10 { directory.write("d\(a)/f\(b)") }
        }
        let tree = try knownTree()
        let fixture = try verify(tree)
        #expect(tree.log.isEmpty)
        #expect(
            fixture.notices == [
                .containerFound(container: 1, isKnown: true), .compared(container: 1, counts: ComparisonCounts()),
            ])
        #expect(fixture.watcher.counters.directoriesRead == 11)
        directory.write("d3/f3", "longer than before")
        directory.makeDirectory("d3/n")
        fixture.settle()
        expectEqual(tree, directory.path)
    }

    @Test func filesKeepTheirIdentity() throws {
        directory.makeDirectory("d")
        for name in ["moved", "over", "target", "swapped", "other", "same", "gone", "chain1", "chain2"] {
            directory.write(name, name)
        }
        let tree = try knownTree()
        let was = { tree.identity(at: $0) }
        let before = Dictionary(
            uniqueKeysWithValues: ["moved", "target", "swapped", "other", "same", "chain1", "chain2"].map {
                ($0, was($0))
            })
        directory.move("moved", "d/elsewhere")
        directory.move("over", "target")
        directory.exchange("swapped", "other")
        directory.remove("gone")
        directory.append("same", "more")
        directory.move("chain2", "d/chain3")
        directory.move("chain1", "chain2")
        directory.write("fresh")
        try verify(tree)
        #expect(was("d/elsewhere") == before["moved"])
        #expect(was("target") == before["target"])
        #expect(was("swapped") == before["other"])
        #expect(was("other") == before["swapped"])
        #expect(was("same") == before["same"])
        #expect(was("d/chain3") == before["chain2"])
        #expect(was("chain2") == before["chain1"])
        #expect(!tree.log.contains { $0.hasPrefix("insert") && !$0.hasSuffix("fresh") }, "\(tree.log)")
    }

    @Test func directoriesKeepTheirIdentity() throws {
        for name in ["a", "b", "c", "e", "e/empty", "f", "g", "g/h", "k"] {
            directory.makeDirectory(name)
            if name != "e/empty" { directory.write("\(name)/file", name) }
        }
        let tree = try knownTree()
        let was = { tree.identity(at: $0) }
        let before = Dictionary(
            uniqueKeysWithValues: ["a/file", "b/file", "c/file", "e/file", "f/file", "g/h/file", "k/file"].map {
                ($0, was($0))
            })
        directory.exchange("a", "b")
        // Away, and another in its place.
        directory.makeDirectory("new")
        directory.move("c", "new/c")
        directory.makeDirectory("c")
        // Into one that was empty.
        directory.move("e/file", "e/empty/file")
        directory.move("f", "e/empty/f")
        // The outer one goes, the inner one takes its name.
        directory.move("g/h", "h")
        directory.removeTree("g")
        directory.move("h", "g")
        directory.removeTree("k")
        directory.write("k", "a file in its place")
        try verify(tree)
        #expect(was("b/file") == before["a/file"])
        #expect(was("a/file") == before["b/file"])
        #expect(was("new/c/file") == before["c/file"])
        #expect(was("e/empty/file") == before["e/file"])
        #expect(was("e/empty/f/file") == before["f/file"])
    }

    @Test func namesThatAreIgnoredNowLeave() throws {
        directory.makeDirectory("d")
        directory.makeDirectory("d/cache")
        directory.write("d/cache/f")
        directory.write("skip")
        let tree = try knownTree()
        try verify(tree, ignoring: ["cache", "skip"])
    }

    /// Below a directory that cannot be read nothing is known any more, until it can.
    @Test func belowADirectoryThatCannotBeRead() throws {
        let fixture = PlayedFixture()
        for path in ["/c", "/c/d", "/c/d/e", "/c/d/e/g"] { fixture.kernel.create(path, .directory) }
        for path in ["/c/d/e/f", "/c/d/e/g/h"] { fixture.kernel.create(path) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        let file = fixture.tree.identity(at: "d/e/g/h")
        fixture.watcher.close()
        fixture.kernel.write("/c/d/e/f", size: 3)
        fixture.kernel.write("/c/d/e/g/h", size: 3)
        fixture.kernel.setUnreadable("/c/d", true)
        let second = PlayedFixture(kernel: fixture.kernel, tree: fixture.tree)
        second.watcher.addContainer(1, path: "/c", isKnown: true)
        second.rest()
        second.expectEqual("/c")
        #expect(second.watcher.figures(of: 1).directories == 2)
        #expect(second.watcher.figures(of: 1).unreadable == 1)
        fixture.kernel.setUnreadable("/c/d", false)
        second.rest()
        second.expectEqual("/c")
        #expect(second.watcher.figures(of: 1).directories == 4)
        #expect(second.tree.identity(at: "d/e/g/h") == file)
    }

    @Test func anotherDeviceNumber() throws {
        directory.makeDirectory("d")
        directory.write("d/f")
        let tree = try knownTree()
        let device = tree.status(of: TreeNode(container: 1, row: 0)).device
        tree.renumber(deviceFrom: device, to: 77, in: 1)
        tree.log = []
        try verify(tree)
        #expect(tree.log == ["renumber 77 \(device)"])
    }

    @Test func anotherDirectoryInItsPlace() throws {
        directory.makeDirectory("d")
        directory.write("d/f")
        directory.write("g")
        // More than one slice of names that other files have.
        for number in 0..<WatchSettings().comparisonSlice * 2 { directory.write("d/file\(number)", "\(number)") }
        let tree = try knownTree()
        run("cp", "-a", directory.path, directory.path + ".copy")
        directory.removeTree("")
        #expect(rename(directory.path + ".copy", directory.path) == 0)
        try verify(tree)
    }

    @Test func awayAtTheStart() throws {
        directory.makeDirectory("d")
        directory.write("d/f")
        let tree = try knownTree()
        let file = tree.identity(at: "d/f")
        #expect(rename(directory.path, directory.path + ".away") == 0)
        let fixture = try WatcherFixture(tree: tree)
        fixture.watcher.addContainer(1, path: directory.path, isKnown: true)
        guard case .unavailable = fixture.watcher.state(of: 1) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 1)))")
            return
        }
        #expect(tree.contents(of: 1).isEmpty)
        #expect(rename(directory.path + ".away", directory.path) == 0)
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(tree, directory.path)
        #expect(tree.identity(at: "d/f") == file)
    }

    @Test(arguments: [true, false]) func awayAndBack(keepsDetached: Bool) throws {
        directory.makeDirectory("d")
        directory.write("d/f")
        directory.write("d/g")
        let fixture = try WatcherFixture()
        fixture.tree.keepsDetached = keepsDetached
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        let file = fixture.tree.identity(at: "d/f")
        #expect(rename(directory.path, directory.path + ".away") == 0)
        fixture.settle()
        #expect(fixture.tree.contents(of: 1).isEmpty)
        #expect(fixture.watcher.figures(of: 1).directories == 0)
        #expect(unlink(directory.path + ".away/d/g") == 0)
        #expect(rename(directory.path + ".away", directory.path) == 0)
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(fixture.tree, directory.path)
        #expect((fixture.tree.identity(at: "d/f") == file) == keepsDetached)
        directory.write("d/f", "watched again")
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
    }

    /// Random changes while no process watches, some of them during the verification.
    @Test(arguments: ChurnTests.seeds) func churn(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 7_919)
        let outside = TemporaryDirectory()
        var churn = Churn(seed: seed &+ 3_000_000, root: directory.path, outside: outside.path)
        for _ in 0..<300 { _ = churn.step() }
        for round in 0..<10 {
            let context = "seed \(seed) round \(round)"
            let tree = try knownTree()
            for _ in 0..<Int.random(in: 1...100, using: &random) { _ = churn.step() }
            let fixture = try WatcherFixture(tree: tree)
            fixture.watcher.addContainer(1, path: directory.path, isKnown: true)
            let changesMeanwhile = round % 2 == 1
            for _ in 0..<(changesMeanwhile ? Int.random(in: 1...60, using: &random) : 0) {
                _ = churn.step()
                if Int.random(in: 0..<3, using: &random) == 0 { fixture.iterate() }
            }
            fixture.settle(context)
            #expect(fixture.watcher.state(of: 1) == .live, "\(context)")
            expectEqual(tree, directory.path, context, excusingLinks: changesMeanwhile)
            let figures = fixture.watcher.figures(of: 1)
            #expect(figures.watches == figures.directories, "\(context)")
            fixture.watcher.close()
        }
    }
}
