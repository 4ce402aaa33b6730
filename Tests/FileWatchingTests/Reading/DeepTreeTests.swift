// Deep trees: to remove, move or close one costs what lies in it, at any depth, and little in each loop iteration.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import Synchronization
import Testing

@testable import FileWatching

@Suite struct DeepTreeTests {
    /// Calls for one directory: a stride is opened to find the missing one in it, some times over.
    private static let callsPerDirectory = 200

    /// One directory in another, `depth` of them in the container. Nothing of it is open.
    private func fixture(depth: Int) -> PlayedFixture {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        for level in 1...depth { fixture.kernel.create(path(level), .directory) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 10)
        fixture.expectEqual("/c")
        // A look-up takes its time, so that a loop iteration makes few of them.
        fixture.kernel.state.withLock { $0.costOfLook = 100_000 }
        return fixture
    }

    private func path(_ level: Int) -> String { "/c" + String(repeating: "/d", count: level) }

    /// Opened directories, names on the ways to them, and looks at entries.
    private func calls(_ fixture: PlayedFixture) -> Int {
        fixture.kernel.state.withLock { $0.opens + $0.steps + $0.looks }
    }

    private func expectNothingGivenUp(_ fixture: PlayedFixture) {
        #expect(fixture.watcher.counters.lookUpsAbandoned == 0)
        #expect(fixture.watcher.counters.comparisons == 0)
        #expect(fixture.watcher.waitingLookUps == 0)
    }

    /// As rm(1) does, from the bottom up, before the daemon hears anything, or while it looks.
    @Test(arguments: [0, 1, 16, 100], [100, 400]) func removalCostsWhatWasRemoved(iterationsEvery: Int, depth: Int) {
        let fixture = fixture(depth: depth)
        let before = calls(fixture)
        for level in stride(from: depth, to: 0, by: -1) {
            fixture.kernel.remove(path(level))
            if iterationsEvery > 0, level % iterationsEvery == 0 { _ = fixture.watcher.iterate() }
        }
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.contents(of: 1).isEmpty)
        #expect(calls(fixture) - before <= Self.callsPerDirectory * depth)
        expectNothingGivenUp(fixture)
    }

    /// The events of the removal come in parts, so that look-ups wait for events that are still queued.
    @Test(arguments: [1, 10, 200]) func removalReceivedInPartsCostsWhatWasRemoved(eventsAtOnce: Int) {
        let depth = 300
        let fixture = fixture(depth: depth)
        let before = calls(fixture)
        for level in stride(from: depth, to: 0, by: -1) { fixture.kernel.remove(path(level)) }
        while fixture.kernel.state.withLock({ !$0.queue.isEmpty }) {
            fixture.kernel.state.withLock { $0.readable = eventsAtOnce }
            _ = fixture.watcher.iterate()
        }
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.rest()
        #expect(fixture.tree.contents(of: 1).isEmpty)
        #expect(calls(fixture) - before <= Self.callsPerDirectory * depth)
        expectNothingGivenUp(fixture)
    }

    @Test func oneLoopIterationOfARemovalIsBounded() {
        let depth = 800
        let fixture = fixture(depth: depth)
        for level in stride(from: depth, to: 0, by: -1) { fixture.kernel.remove(path(level)) }
        var isMore = true
        while isMore {
            let (calls, steps) = (calls(fixture), fixture.watcher.counters.stepsClimbed)
            isMore = fixture.watcher.iterate()
            #expect(self.calls(fixture) - calls <= 10_000)
            #expect(Int(fixture.watcher.counters.stepsClimbed - steps) <= WatchLimits.stepsPerIteration + depth)
        }
        fixture.rest()
        #expect(fixture.tree.contents(of: 1).isEmpty)
    }

    /// Look-ups in a tree that was moved wait for the move, at all depths, and are made when it is heard.
    @Test func lookUpsInAMovedTreeCostWhatIsLookedAt() {
        let depth = 500
        let fixture = fixture(depth: depth)
        let before = calls(fixture)
        let identity = fixture.tree.identity(at: path(depth).dropFirst(3).description)
        for level in stride(from: depth, to: 0, by: -1) { fixture.kernel.create(path(level) + "/f") }
        let count = fixture.kernel.state.withLock { $0.queue.count }
        fixture.kernel.move("/c/d", "/c/e")
        fixture.kernel.state.withLock { $0.readable = count }
        for _ in 0..<20 { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.waitingLookUps >= depth, "they wait for the move")
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(calls(fixture) - before <= Self.callsPerDirectory * depth)
        expectNothingGivenUp(fixture)
        #expect(fixture.tree.identity(at: "e/" + path(depth).dropFirst(5)) == identity)
    }

    /// Nothing of a tree can be reached any more when its top is closed.
    @Test func removingAccessToTheTopCostsWhatIsLookedAt() {
        let depth = 500
        let fixture = fixture(depth: depth)
        let before = calls(fixture)
        for level in stride(from: depth, to: 0, by: -1) { fixture.kernel.create(path(level) + "/f") }
        let count = fixture.kernel.state.withLock { $0.queue.count }
        fixture.kernel.setUnsearchable("/c/d", true)
        fixture.kernel.state.withLock { $0.readable = count }
        for _ in 0..<20 { _ = fixture.watcher.iterate() }
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.contents(of: 1).count == 1)
        #expect(calls(fixture) - before <= Self.callsPerDirectory * depth)
        fixture.kernel.setUnsearchable("/c/d", false)
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.contents(of: 1).count == 2 * depth)
    }

    /// A user chooses the paths that messages for the administrator name.
    @Test func unreadableDirectoriesAreNamedUpToAPathsLimit() {
        let depth = 2_100
        let fixture = fixture(depth: depth)
        fixture.kernel.create("/c/closed", .directory)
        fixture.rest()
        fixture.kernel.setUnsearchable(path(depth), true)
        fixture.kernel.setUnsearchable("/c/closed", true)
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).unreadable == 2)
        let reported = fixture.watcher.unreadablePaths(of: 1, limit: 5)
        #expect(reported == [Array("closed".utf8)])
    }

    /// A directory that was missing and is back in its place is found there.
    @Test func aDirectoryThatComesBackIsFound() {
        let fixture = fixture(depth: 40)
        fixture.kernel.create("/away", .directory)
        fixture.kernel.create(path(40) + "/f")
        let count = fixture.kernel.state.withLock { $0.queue.count }
        fixture.kernel.move("/c/d/d", "/away/d")
        fixture.kernel.state.withLock { $0.readable = count }
        for _ in 0..<4 { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.waitingLookUps > 0)
        fixture.kernel.move("/away/d", "/c/d/d")
        fixture.kernel.state.withLock { $0.readable = nil }
        // The first move waits for its `IN_MOVED_TO`.
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
        #expect(fixture.tree.contents(of: 1).count == 41)
        expectNothingGivenUp(fixture)
    }

    /// Paths longer than `PATH_MAX`, on a real file system: read, compared and removed.
    @Test func aRealTreeBeyondTheLongestPath() throws {
        let (chains, depth) = (2, 1_200)
        let directory = TemporaryDirectory()
        directory.makeDirectory("deep")
        for chain in 0..<chains { try makeChain(directory.url("deep"), "chain\(chain)", depth) }
        let fixture = try WatcherFixture()
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle("the first crawl")
        #expect(fixture.watcher.figures(of: 1).directories == chains * depth + 2)
        var counts: ComparisonCounts?
        fixture.watcher.rescan(1) { counts = $0 }
        fixture.iterate(until: { counts != nil }, "rescan")
        #expect(counts == ComparisonCounts())
        let before = fixture.watcher.counters
        directory.removeTree("deep")
        var isMore = true
        while isMore {
            let former = fixture.watcher.counters
            isMore = fixture.iterate()
            let now = fixture.watcher.counters
            #expect(Int(now.stepsClimbed - former.stepsClimbed) <= 2 * (WatchLimits.stepsPerIteration + depth))
        }
        fixture.settle("removed")
        #expect(fixture.tree.contents(of: 1).isEmpty)
        let after = fixture.watcher.counters
        #expect(Int(after.waysTried - before.waysTried) <= 20 * chains * depth)
        #expect(Int(after.stepsClimbed - before.stepsClimbed) <= 100 * chains * depth)
        #expect(after.comparisons == before.comparisons && after.lookUpsAbandoned == 0)
    }

    private func makeChain(_ directory: String, _ first: String, _ depth: Int) throws {
        var above = try Directory.open(directory, access: .path)
        var name = first
        for _ in 0..<depth {
            try Directory.make(name, in: above.number, mode: 0o755)
            let below = try Directory.open(name, beneath: above.number, access: .path)
            above = below
            name = "directory"
        }
    }
}
