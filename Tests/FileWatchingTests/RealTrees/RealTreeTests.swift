// Every kind of change on a real tree, checked after the barrier against a fresh walk.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Testing

@Suite struct RealTreeTests {
    let directory = TemporaryDirectory()

    /// A fixture that has crawled the directory.
    func live(settings: WatchSettings = WatchSettings(), ignoring globs: [String] = []) throws -> WatcherFixture {
        let fixture = try WatcherFixture(settings: settings)
        fixture.watcher.addContainer(1, path: directory.path, ignoring: globs)
        fixture.settle("first crawl")
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.tree.log = []
        return fixture
    }

    func check(_ fixture: WatcherFixture, _ context: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        fixture.settle(context)
        expectEqual(fixture.tree, directory.path, context, sourceLocation: sourceLocation)
    }

    @Test func crawls() throws {
        for a in 0..<20 {
            directory.makeDirectory("d\(a)")
            for b in 0..<20 {
                directory.makeDirectory("d\(a)/e\(b)")
                directory.write("d\(a)/e\(b)/file", "\(a) \(b)")
            }
        }
        directory.symlink("d1", "link")
        #expect(mkfifo(directory.url("fifo"), 0o600) == 0)
        let fixture = try live()
        check(fixture)
        #expect(fixture.watcher.figures(of: 1).directories == 421)
        #expect(fixture.watcher.figures(of: 1).watches == 421)
        #expect(fixture.watcher.figures(of: 1).outstanding == 0)
        #expect(
            fixture.notices == [.containerFound(container: 1), .crawled(container: 1, directories: 421)])
    }

    @Test func aBarrierWithNothingToWaitForIsReachedAtOnce() throws {
        let fixture = try live()
        // Others make directories beside the container and mount things: now and then there is something to wait for.
        var tries = 0
        while tries < 100, !fixture.watcher.isReached(fixture.watcher.barrier()) {
            fixture.settle()
            tries += 1
        }
        #expect(tries < 100)
    }

    @Test func filesComeChangeAndGo() throws {
        let fixture = try live()
        directory.write("a", "1")
        check(fixture, "create")
        #expect(fixture.tree.log == ["insert a"])
        directory.append("a", "22")
        check(fixture, "append")
        directory.setMode("a", 0o600)
        check(fixture, "chmod")
        #expect(truncate(directory.url("a"), 1) == 0)
        check(fixture, "truncate")
        let times = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]
        #expect(utimensat(AT_FDCWD, directory.url("a"), times, 0) == 0)
        check(fixture, "utimensat")
        // An ordinary user may not give files away. The call is an event all the same.
        let (owner, group) = geteuid() == 0 ? (12, 34) : (geteuid(), getegid())
        #expect(chown(directory.url("a"), owner, group) == 0)
        check(fixture, "chown")
        directory.remove("a")
        check(fixture, "unlink")
        #expect(fixture.tree.contents(of: 1).isEmpty)
        directory.symlink("nowhere", "s")
        #expect(mkfifo(directory.url("f"), 0o600) == 0)
        check(fixture, "symlink and fifo")
        directory.write("name with\nnewline")
        let odd: [CChar] = (directory.path + "/").utf8.map(CChar.init(bitPattern:)) + [-1, -2, 0]
        #expect(close(open(odd, O_CREAT | O_WRONLY, 0o600)) == 0)
        check(fixture, "a name that is not UTF-8")
    }

    @Test func directoriesComeAndGo() throws {
        let fixture = try live()
        directory.makeDirectory("d")
        directory.write("d/f")
        check(fixture, "mkdir and fill")
        run("mkdir", "-p", directory.url("x/y/z/w"))
        directory.write("x/y/z/w/file")
        check(fixture, "mkdir -p and fill")
        directory.makeDirectory("x/y/z/w/v")
        directory.write("x/y/z/w/v/file")
        check(fixture, "further down")
        directory.removeTree("x")
        check(fixture, "rm -r")
        directory.remove("d/f")
        directory.removeDirectory("d")
        directory.write("d")
        check(fixture, "a file in a directory's place")
        directory.remove("d")
        directory.makeDirectory("d")
        directory.write("d/g")
        check(fixture, "a directory in a file's place")
        directory.removeTree("d")
        directory.symlink("/nonexistent", "d")
        check(fixture, "a symlink in a directory's place")
        #expect(fixture.watcher.figures(of: 1).directories == 1)
        #expect(fixture.watcher.figures(of: 1).watches == 1)
    }

    @Test func movesKeepIdentity() throws {
        directory.makeDirectory("d")
        directory.makeDirectory("e")
        for index in 0..<5 { directory.write("d/f\(index)") }
        let fixture = try live()
        let file = fixture.tree.identity(at: "d/f0")
        directory.move("d/f0", "e/g")
        check(fixture, "move a file")
        #expect(fixture.tree.identity(at: "e/g") == file)
        let below = fixture.tree.identity(at: "d/f1")
        directory.move("d", "e/d2")
        check(fixture, "move a directory")
        #expect(fixture.tree.identity(at: "e/d2/f1") == below)
        #expect(fixture.tree.log.contains("move d -> e/d2"))
        #expect(!fixture.tree.log.contains { $0.hasPrefix("insert") || $0.hasPrefix("remove") })
        directory.write("e/d2/f2", "changed after the move")
        check(fixture, "a change after the move")
        directory.move("e/d2", "d3")
        directory.move("d3", "d4")
        directory.move("d4", "d5")
        check(fixture, "several moves at once")
        #expect(fixture.tree.identity(at: "d5/f1") == below)
    }

    @Test func aRenameOverKeepsTheTarget() throws {
        directory.write("target", "old")
        let fixture = try live()
        let target = fixture.tree.identity(at: "target")
        directory.write(".target.tmp", "new contents")
        check(fixture, "the new file")
        directory.move(".target.tmp", "target")
        check(fixture, "save by rename")
        #expect(fixture.tree.identity(at: "target") == target)
        directory.write(".target.tmp", "newer contents, all in one go")
        directory.move(".target.tmp", "target")
        check(fixture, "save by rename at once")
        #expect(fixture.tree.identity(at: "target") == target)
        directory.makeDirectory("full")
        directory.write("full/f")
        directory.makeDirectory("empty")
        check(fixture, "two directories")
        let empty = fixture.tree.identity(at: "empty")
        let inside = fixture.tree.identity(at: "full/f")
        directory.move("full", "empty")
        check(fixture, "a directory onto an empty one")
        #expect(fixture.tree.identity(at: "empty") == empty)
        #expect(fixture.tree.identity(at: "empty/f") == inside)
        directory.write("empty/g")
        directory.append("empty/f", "more")
        check(fixture, "changes in the replaced directory")
    }

    @Test func exchanges() throws {
        directory.write("a", "a")
        directory.write("b", "bb")
        directory.makeDirectory("d")
        directory.write("d/in-d")
        directory.makeDirectory("e")
        directory.write("e/in-e")
        let fixture = try live()
        let (a, b) = (fixture.tree.identity(at: "a"), fixture.tree.identity(at: "b"))
        directory.exchange("a", "b")
        check(fixture, "files")
        #expect(fixture.tree.identity(at: "a") == b)
        #expect(fixture.tree.identity(at: "b") == a)
        let (d, e) = (fixture.tree.identity(at: "d"), fixture.tree.identity(at: "e"))
        directory.exchange("d", "e")
        check(fixture, "directories")
        #expect(fixture.tree.identity(at: "d") == e)
        #expect(fixture.tree.identity(at: "e") == d)
        directory.write("d/new")
        directory.write("e/new")
        check(fixture, "inside")
        directory.exchange("a", "d")
        check(fixture, "a file and a directory")
        #expect(fixture.tree.identity(at: "a") == e)
    }

    @Test func hardLinks() throws {
        directory.makeDirectory("d")
        directory.write("a", "1")
        let fixture = try live()
        directory.link("a", "d/b")
        check(fixture, "link")
        directory.append("a", "2")
        check(fixture, "write through one name")
        directory.link("d/b", "c")
        directory.remove("a")
        check(fixture, "one name ends")
        directory.write("e")
        directory.move("e", "c")
        check(fixture, "one name is replaced")
        directory.link("d/b", "f")
        directory.makeDirectory("g")
        directory.link("d/b", "g/h")
        check(fixture, "two more")
        directory.removeTree("g")
        check(fixture, "one name goes with its directory")
    }

    @Test func movesIntoAndOutOfTheContainer() throws {
        let outside = TemporaryDirectory()
        outside.makeDirectory("tree")
        outside.makeDirectory("tree/sub")
        outside.write("tree/sub/file")
        outside.write("file")
        let fixture = try live()
        #expect(rename(outside.url("file"), directory.url("file")) == 0)
        #expect(rename(outside.url("tree"), directory.url("tree")) == 0)
        check(fixture, "into")
        directory.append("tree/sub/file", "more")
        check(fixture, "a change in what moved in")
        #expect(rename(directory.url("file"), outside.url("file")) == 0)
        #expect(rename(directory.url("tree"), outside.url("tree")) == 0)
        check(fixture, "out of")
        #expect(fixture.watcher.figures(of: 1).watches == 1)
        outside.append("tree/sub/file", "unseen")
        check(fixture, "a change in what moved out")
        #expect(rename(outside.url("tree"), directory.url("again")) == 0)
        check(fixture, "into again")
    }

    @Test func movesBetweenContainers() throws {
        let other = TemporaryDirectory()
        directory.makeDirectory("d")
        directory.write("d/f")
        directory.write("g")
        let fixture = try WatcherFixture(containers: [1, 2])
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.watcher.addContainer(2, path: other.path)
        fixture.settle()
        #expect(rename(directory.url("d"), other.url("d")) == 0)
        #expect(rename(directory.url("g"), other.url("g")) == 0)
        fixture.settle()
        expectEqual(fixture.tree, directory.path, "source")
        expectEqual(fixture.tree, other.path, container: 2, "target")
        other.write("d/new")
        fixture.settle()
        expectEqual(fixture.tree, other.path, container: 2, "a change after the move")
        fixture.watcher.removeContainer(1)
        #expect(fixture.watcher.state(of: 1) == nil)
        other.write("d/newer")
        fixture.settle()
        expectEqual(fixture.tree, other.path, container: 2, "after the other container was removed")
    }

    @Test func ignoredNames() throws {
        directory.makeDirectory(".git")
        directory.write(".git/config")
        directory.write("a.tmp")
        directory.write("a")
        let fixture = try live(ignoring: [".git", "*.tmp"])
        let ignored = { (name: String) in name == ".git" || name.hasSuffix(".tmp") }
        func check(_ context: String) {
            fixture.settle()
            expectEqual(fixture.tree, directory.path, context, ignoring: ignored)
        }
        check("crawl")
        directory.write("b.tmp")
        directory.write("b")
        check("create")
        directory.move("b", "c.tmp")
        check("move to an ignored name")
        directory.move("c.tmp", "d")
        check("move from an ignored name")
        directory.write(".git/x")
        directory.makeDirectory("e")
        directory.makeDirectory("e/.git")
        directory.write("e/.git/y")
        check("below")
        directory.write("e/z.tmp")
        check("an ignored name changes its directory")
        #expect(fixture.watcher.figures(of: 1).directories == 2)
    }

    @Test func rescanFindsNothingWhereAllIsKnown() throws {
        for index in 0..<10 {
            directory.makeDirectory("d\(index)")
            for file in 0..<10 { directory.write("d\(index)/f\(file)") }
        }
        let fixture = try live()
        var counts: ComparisonCounts?
        fixture.watcher.rescan(1) { counts = $0 }
        #expect(fixture.watcher.state(of: 1) == .verifying)
        fixture.settle()
        #expect(counts == ComparisonCounts())
        #expect(fixture.tree.log.isEmpty)
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// A change that no event tells of: a store through another link outside of the container.
    @Test func rescanFindsWhatNoEventReported() throws {
        let outside = TemporaryDirectory()
        directory.write("a", "1")
        #expect(link(directory.url("a"), outside.url("a")) == 0)
        let fixture = try live()
        outside.append("a", "22")
        fixture.settle()
        #expect(fixture.tree.log.isEmpty)
        var counts: ComparisonCounts?
        fixture.watcher.rescan(1) { counts = $0 }
        fixture.settle()
        #expect(counts == ComparisonCounts(added: 0, changed: 1, removed: 0))
        check(fixture)
    }

    @Test func theRootGoesAndComesBack() throws {
        directory.makeDirectory("root")
        directory.makeDirectory("root/d")
        directory.write("root/d/f")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("root"))
        fixture.settle()
        func check(_ context: String) {
            fixture.settle(context)
            expectEqual(fixture.tree, directory.url("root"), context)
        }
        check("crawl")
        directory.move("root", "elsewhere")
        check("moved away")
        #expect(fixture.watcher.state(of: 1) == .unavailable(reason: "No such file or directory"))
        #expect(fixture.tree.contents(of: 1).isEmpty)
        directory.move("elsewhere", "root")
        check("back")
        #expect(fixture.watcher.state(of: 1) == .live)
        directory.write("root/d/g")
        check("a change")
        directory.removeTree("root")
        check("removed")
        #expect(fixture.tree.contents(of: 1).isEmpty)
        directory.makeDirectory("root")
        directory.write("root/new")
        check("made anew")
        directory.move("root", "old")
        directory.makeDirectory("root")
        directory.write("root/other")
        check("replaced")
        #expect(fixture.tree.node(at: "other") != nil)
    }

    @Test func aRootThatIsMissingAtTheStartIsNoticedWhenItAppears() throws {
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("a/b/c"))
        fixture.settle()
        guard case .unavailable = fixture.watcher.state(of: 1) else {
            Issue.record("not unavailable")
            return
        }
        directory.makeDirectory("a")
        directory.makeDirectory("a/b")
        fixture.settle()
        directory.makeDirectory("a/b/c")
        directory.write("a/b/c/f")
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(fixture.tree, directory.url("a/b/c"))
        directory.move("a", "x")
        fixture.settle()
        guard case .unavailable = fixture.watcher.state(of: 1) else {
            Issue.record("not unavailable after a directory above was renamed")
            return
        }
    }

    /// The old directory tells of its end only when no process has it open any more.
    @Test func aRootThatIsReplacedWhileItIsOpen() throws {
        directory.makeDirectory("root")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("root"))
        fixture.settle()
        let held = open(directory.url("root"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(held) }
        // Nothing in it changes before, which would have the end of it seen.
        directory.removeDirectory("root")
        directory.makeDirectory("root")
        directory.write("root/new")
        fixture.settle()
        expectEqual(fixture.tree, directory.url("root"))
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func aSymlinkOnTheWayToTheRootPointsElsewhere() throws {
        for name in ["one", "one/sub", "one/sub/root", "two", "two/sub", "two/sub/root", "links"] {
            directory.makeDirectory(name)
        }
        directory.write("one/sub/root/1")
        directory.write("two/sub/root/2")
        directory.symlink("../one", "links/inner")
        directory.symlink("links/inner/sub", "outer")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("outer/root"))
        func check(_ context: String) {
            fixture.settle(context)
            expectEqual(fixture.tree, directory.url("outer/root"), context)
        }
        check("crawl")
        #expect(fixture.tree.node(at: "1") != nil)
        directory.symlink("../two", "links/new")
        directory.move("links/new", "links/inner")
        check("the inner symlink")
        #expect(fixture.tree.node(at: "2") != nil)
        directory.remove("outer")
        directory.symlink(directory.url("one/sub"), "outer")
        check("the outer symlink")
        #expect(fixture.tree.node(at: "1") != nil)
        directory.move("one", "three")
        check("a directory above what it points at")
        #expect(fixture.tree.contents(of: 1).isEmpty)
        directory.move("three", "one")
        check("back")
        #expect(fixture.tree.node(at: "1") != nil)
    }

    @Test func symlinksInARingOnTheWayToTheRoot() throws {
        directory.symlink("b", "a")
        directory.symlink("a", "b")
        directory.makeDirectory("real")
        directory.makeDirectory("real/root")
        directory.write("real/root/f")
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.url("a/root"))
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .unavailable(reason: SystemError.tooManyLinks.description))
        directory.remove("b")
        directory.symlink("./real", "b")
        fixture.settle()
        #expect(fixture.watcher.state(of: 1) == .live)
        expectEqual(fixture.tree, directory.url("a/root"))
    }

    @Test func anOverflowYieldsOnlyTrueDifferences() throws {
        directory.makeDirectory("d")
        directory.makeDirectory("e")
        directory.makeDirectory("flood")
        for index in 0..<100 { directory.write("d/f\(index)") }
        let fixture = try live()
        let moved = fixture.tree.identity(at: "d/f1")
        let kept = fixture.tree.identity(at: "d/f2")
        directory.write("flood/x")
        directory.write("flood/y")
        fixture.settle()
        fixture.tree.log = []
        // Nothing is read meanwhile. Two files in turn, since the kernel merges equal events that follow one another.
        for index in 0..<10_000 {
            directory.setMode("flood/x", index % 2 == 0 ? 0o600 : 0o644)
            directory.setMode("flood/y", index % 2 == 0 ? 0o600 : 0o644)
            if index == 9_000 {
                directory.move("d/f1", "e/g1")
                directory.remove("d/f3")
                directory.write("d/new")
                directory.append("d/f4", "more")
                directory.move("e", "e2")
            }
        }
        check(fixture, "after the overflow")
        #expect(fixture.watcher.counters.overflows > 0)
        #expect(fixture.tree.identity(at: "e2/g1") == moved)
        #expect(fixture.tree.identity(at: "d/f2") == kept)
        #expect(!fixture.tree.log.contains { $0.hasSuffix("d/f2") })
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func aFileAppendedToManyTimesCostsOneLookUpAnIteration() throws {
        directory.write("a")
        let fixture = try live()
        let before = fixture.watcher.counters.lookUps
        // Two files in turn, so that the kernel does not merge the events itself.
        directory.write("b")
        for _ in 0..<500 {
            directory.append("a", "x")
            directory.append("b", "x")
        }
        check(fixture)
        #expect(fixture.watcher.counters.lookUps - before <= 6)
    }
}
