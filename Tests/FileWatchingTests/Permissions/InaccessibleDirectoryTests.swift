// Directories that may not be read any more, for a watcher that is another user than root; held against a walk by that user.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import TestSupport
import Testing

/// Another user, as whom the kernel is asked: setfsuid(2) is of the calling thread alone, and takes the capabilities that go
/// past permissions from it.
enum FileUser {
    static let number: uid_t = 65_534

    private typealias Call = @convention(c) (uid_t) -> CInt
    private static let calls = ["setfsgid", "setfsuid"].map { cFunction($0, as: Call.self) }

    static func act<Result>(_ body: () throws -> Result) rethrows -> Result {
        for call in calls { _ = call(number) }
        defer { for call in calls { _ = call(0) } }
        return try body()
    }
}

@Suite(.needsRoot("other users")) struct InaccessibleDirectoryTests {
    let directory = TemporaryDirectory()

    init() { directory.setMode("", 0o755) }

    /// Without threads: each would have to become the user.
    private func fixture(_ box: String = "", tree: DictionaryTree? = nil, isKnown: Bool = false) throws
        -> WatcherFixture
    {
        var settings = WatchSettings()
        settings.crawlThreads = 0
        let fixture = try WatcherFixture(tree: tree, settings: settings, readsAccessLists: true)
        fixture.isFileUser = true
        FileUser.act { fixture.watcher.addContainer(1, path: directory.url(box), isKnown: isKnown) }
        fixture.settle("the first crawl")
        return fixture
    }

    private func expectAsSeen(
        _ fixture: WatcherFixture, _ box: String = "", _ context: String = "", excusesTimes: Bool = false
    ) {
        let seen = FileUser.act { walk(directory.url(box)) }
        let known = fixture.tree.contents(of: 1).mapValues {
            var status = $0
            status.accessList = .none
            return status
        }
        #expect(Set(known.keys) == Set(seen.keys), "\(context)")
        for (path, status) in seen where known[path] != nil && known[path] != status {
            // One that may not be read at all when it is found cannot be watched, and its own times are not told.
            if excusesTimes, status.kind == .directory, status.mode & 0o5 != 0o5, known[path]?.mode == status.mode {
                continue
            }
            Issue.record("\(context): \(String(decoding: path, as: UTF8.self)): \(known[path]!), seen \(status)")
        }
    }

    private func isUnavailable(_ fixture: WatcherFixture) -> Bool {
        if case .unavailable = fixture.watcher.state(of: 1) { true } else { false }
    }

    private func makeTree() {
        for name in ["d", "d/e", "d/e/k", "d/m"] { directory.makeDirectory(name) }
        for name in ["f", "d/f", "d/gone", "d/e/f", "d/e/k/f", "d/m/f"] { directory.write(name) }
        directory.link("d/f", "d/linked")
    }

    /// Each way of closing a directory: its entries leave, the directory stays, and all is as a crawl would have found
    /// it. Nothing that happens meanwhile comes in, and former entries are the same when it is open again.
    @Test(arguments: [0o000, 0o700, 0o711, 0o744] as [mode_t]) func closedAndOpen(mode: mode_t) throws {
        makeTree()
        let fixture = try fixture()
        let paths = ["d", "d/m", "d/m/f", "d/e", "d/e/f", "d/e/k/f"]
        let before = paths.map { fixture.tree.identity(at: $0) }
        directory.setMode("d", mode)
        fixture.settle("closed")
        expectAsSeen(fixture)
        #expect(fixture.tree.contents(of: 1).count == 2)
        let fresh = try self.fixture()
        #expect(fresh.watcher.figures(of: 1).unreadable == 1)
        #expect(fixture.watcher.figures(of: 1).unreadable == 1)
        #expect(fixture.watcher.figures(of: 1).directories == fresh.watcher.figures(of: 1).directories)
        // That of the directory stays.
        #expect(fixture.watcher.figures(of: 1).watches == fresh.watcher.figures(of: 1).watches + 1)
        #expect(fixture.watcher.state(of: 1) == .live)
        // It has not changed hands meanwhile.
        directory.write("d/e/f", "other text")
        directory.write("d/new")
        directory.remove("d/gone")
        directory.makeDirectory("d/e/other")
        directory.move("d/m", "d/e/k/m")
        fixture.settle("changed while it is closed")
        expectAsSeen(fixture, "", "its own times too")
        #expect(fixture.tree.contents(of: 1).count == 2)
        directory.setMode("d", 0o755)
        fixture.settle("open")
        expectAsSeen(fixture)
        #expect(fixture.tree.node(at: "d/gone") == nil)
        let after = ["d", "d/e/k/m", "d/e/k/m/f", "d/e", "d/e/f", "d/e/k/f"].map { fixture.tree.identity(at: $0) }
        #expect(after == before)
        #expect(fixture.tree.inaccessible[1] == nil, "nothing waits any more")
        #expect(fixture.watcher.figures(of: 1).unreadable == 0)
        #expect(fixture.watcher.figures(of: 1).watches == 6)
        directory.write("d/e/other/f")
        fixture.settle("watched again")
        expectAsSeen(fixture)
    }

    /// The look-ups that are under way when it is closed and opened again find what there is.
    @Test func closedForAMoment() throws {
        makeTree()
        let fixture = try fixture()
        let file = fixture.tree.identity(at: "d/e/f")
        for mode in [0o700, 0o711, 0o744] as [mode_t] {
            directory.write("d/e/f", "\(mode)")
            directory.write("d/f\(mode)", "\(mode)")
            directory.setMode("d", mode)
            directory.write("d/e/f", "\(mode) and more")
            fixture.iterate()
            directory.write("d/m/f", "\(mode)")
            directory.setMode("d", 0o755)
            fixture.settle("\(mode)")
            expectAsSeen(fixture, "", "\(mode)")
            #expect(fixture.tree.identity(at: "d/e/f") == file)
            #expect(fixture.watcher.figures(of: 1).unreadable == 0)
        }
    }

    /// An access control list closes as a mode does, where the file system has them.
    @Test func closedByAList() throws {
        makeTree()
        guard run("setfacl", "-m", "u:\(FileUser.number):---", directory.url("m")) != 0,
            run("setfacl", "-m", "u:\(FileUser.number):r-x", directory.url("f")) == 0
        else { return }
        let fixture = try fixture()
        let file = fixture.tree.identity(at: "d/e/f")
        // In one look, a change of its own beside it.
        directory.write("d/beside")
        run("setfacl", "-m", "u:\(FileUser.number):---", directory.url("d"))
        directory.write("d/beside too")
        fixture.settle("closed")
        expectAsSeen(fixture)
        #expect(fixture.tree.contents(of: 1).count == 2)
        run("setfacl", "-b", directory.url("d"))
        fixture.settle("open")
        expectAsSeen(fixture)
        #expect(fixture.tree.identity(at: "d/e/f") == file)
    }

    /// The container's own directory, and one above it: the container is unavailable, and everything comes back.
    @Test(arguments: ["way/box", "way"], [0o700, 0o711, 0o744] as [mode_t]) func theWay(closes: String, mode: mode_t)
        throws
    {
        if closes == "way", mode == 0o711 { return }
        for name in ["way", "way/box", "way/box/d"] { directory.makeDirectory(name) }
        // Where the one above may not be watched, its own watch tells.
        if closes == "way/box" { directory.setMode("way", 0o711) }
        for name in ["way/box/f", "way/box/d/f"] { directory.write(name) }
        let fixture = try fixture("way/box")
        let before = ["f", "d", "d/f"].map { fixture.tree.identity(at: $0) }
        for _ in 0..<2 {
            directory.setMode(closes, mode)
            fixture.settle("closed")
            #expect(isUnavailable(fixture), "\(String(describing: fixture.watcher.state(of: 1)))")
            #expect(fixture.tree.contents(of: 1).isEmpty)
            directory.setMode(closes, 0o755)
            fixture.iterate(until: { fixture.watcher.state(of: 1) == .live }, "open")
            fixture.settle("open")
            expectAsSeen(fixture, "way/box")
            #expect(["f", "d", "d/f"].map { fixture.tree.identity(at: $0) } == before)
            directory.write("way/box/d/f", "watched")
            fixture.settle("watched")
            expectAsSeen(fixture, "way/box")
        }
    }

    /// Closed while no process watched.
    @Test func closedBetweenTwoRuns() throws {
        makeTree()
        let first = try fixture()
        first.watcher.close()
        directory.setMode("d/e", 0o700)
        let file = first.tree.identity(at: "d/m/f")
        let second = try fixture(tree: first.tree, isKnown: true)
        expectAsSeen(second)
        #expect(second.watcher.figures(of: 1).unreadable == 1)
        #expect(second.tree.identity(at: "d/m/f") == file)
        directory.setMode("d/e", 0o755)
        second.settle("open")
        expectAsSeen(second)
    }

    /// No event tells of it: a comparison, a poll and the self-audit find it, closed and open.
    @Test(arguments: ["rescan", "poll", "audit"]) func unreported(by: String) throws {
        let fixture = PlayedFixture { settings in
            settings.pollInterval = 1_000_000_000
            if by == "audit" { (settings.auditInterval, settings.auditShare) = (60_000_000_000, 1) }
        }
        for path in ["/c", "/c/d", "/c/d/e", "/c/d/e/g"] { fixture.kernel.create(path, .directory) }
        for path in ["/c/d/e/f", "/c/d/e/g/h"] { fixture.kernel.create(path) }
        if by == "poll" { fixture.kernel.state.withLock { $0.watchLimit = 1 } }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 1)
        let file = fixture.tree.identity(at: "d/e/g/h")
        fixture.kernel.state.withLock { $0.isQuiet = true }
        func find() {
            if by == "rescan" { fixture.watcher.rescan(1) { _ in } }
            fixture.wait(seconds: 200)
        }
        fixture.kernel.setUnreadable("/c/d/e", true)
        find()
        fixture.expectEqual("/c", "closed")
        #expect(fixture.tree.contents(of: 1).count == 2)
        #expect(fixture.watcher.figures(of: 1).unreadable == 1)
        fixture.kernel.setUnreadable("/c/d/e", false)
        find()
        fixture.expectEqual("/c", "open")
        #expect(fixture.watcher.figures(of: 1).unreadable == 0)
        #expect(fixture.tree.identity(at: "d/e/g/h") == file)
    }

    private func directories() -> [String] {
        walk(directory.path).filter { $0.value.kind == .directory }.map { String(decoding: $0.key, as: UTF8.self) }
            .sorted()
    }

    /// Random changes, those of modes among them; at rest the tree is what the user's own walk finds.
    @Test(arguments: ChurnTests.seeds) func churn(seed: UInt64) throws {
        let outside = TemporaryDirectory()
        outside.setMode("", 0o755)
        var random = SeededGenerator(seed: seed &* 104_729)
        var churn = Churn(seed: seed &+ 5_000_000, root: directory.path, outside: outside.path)
        // A write by a name in an inaccessible directory has no event for another name of the file.
        churn.makesLinks = false
        for _ in 0..<100 { _ = churn.step() }
        let fixture = try fixture()
        for round in 0..<60 {
            var recent: [String] = []
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                if Int.random(in: 0..<3, using: &random) == 0, let name = directories().randomElement(using: &random) {
                    let mode = [0o000, 0o700, 0o711, 0o744, 0o755, 0o755, 0o755].randomElement(using: &random) ?? 0
                    directory.setMode(name, mode_t(mode))
                    recent.append("chmod \(String(mode, radix: 8)) \(name)")
                } else {
                    recent.append(churn.step())
                }
                if Int.random(in: 0..<3, using: &random) == 0 { fixture.iterate() }
            }
            let context = "seed \(seed) round \(round): \(recent.joined(separator: ", "))"
            fixture.settle(context)
            expectAsSeen(fixture, "", context, excusesTimes: true)
            if Set(fixture.tree.contents(of: 1).keys) != Set(FileUser.act { walk(directory.path) }.keys) { return }
        }
    }

    /// An entry that is only closed, opened and written to keeps its identity, however the openings overlap.
    @Test(arguments: ChurnTests.seeds) func identities(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 15_485_863)
        for a in 0..<3 {
            directory.makeDirectory("\(a)")
            for b in 0..<3 {
                directory.makeDirectory("\(a)/\(b)")
                for name in ["f", "g"] { directory.write("\(a)/\(b)/\(name)") }
            }
        }
        let fixture = try fixture()
        let places = walk(directory.path).keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        let known = places.map { fixture.tree.identity(at: $0) }
        for round in 0..<100 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let name = places.randomElement(using: &random) ?? ""
                if name.hasSuffix("f") || name.hasSuffix("g") {
                    directory.write(name, "\(round)")
                } else {
                    directory.setMode(name, [0o700, 0o711, 0o744, 0o755, 0o755].randomElement(using: &random) ?? 0)
                }
                if Int.random(in: 0..<2, using: &random) == 0 { fixture.iterate() }
            }
            fixture.settle("seed \(seed) round \(round)")
            expectAsSeen(fixture, "", "seed \(seed) round \(round)")
            for (place, identity) in zip(places, known) {
                guard let now = fixture.tree.identity(at: place) else { continue }
                #expect(now == identity, "seed \(seed) round \(round): \(place)")
            }
        }
    }
}
