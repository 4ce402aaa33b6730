// A file that is written all the time is looked at now and then, and holds up nothing else.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct ConstantWritesTests {
    private func fixture(files: [String]) -> PlayedFixture {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        fixture.kernel.create("/c/d", .directory)
        fixture.kernel.create("/c/e", .directory)
        for file in files { fixture.kernel.create("/c/\(file)") }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.wait(seconds: 10)
        return fixture
    }

    /// As the daemon's loop does: an iteration for each event unless the watcher has said when it reads again, and an iteration when
    /// it asks for one. Returns how many iterations that were.
    private func run(_ fixture: PlayedFixture, writes: Int, to file: String, each step: UInt64) -> Int {
        var iterations = 0
        for index in 0..<writes {
            fixture.kernel.write("/c/\(file)", size: Int64(index + 1))
            fixture.kernel.advance(step)
            let isDue = fixture.watcher.nextDeadline.map { $0 <= fixture.kernel.now() } ?? false
            if fixture.watcher.readsAgain == nil || isDue {
                iterations += 1
                while fixture.watcher.iterate() { iterations += 1 }
            }
        }
        return iterations
    }

    private func looks(_ fixture: PlayedFixture) -> Int { fixture.kernel.state.withLock { $0.looks } }

    @Test func tenThousandWritesASecond() {
        let fixture = fixture(files: ["d/log"])
        let before = looks(fixture)
        let iterations = run(fixture, writes: 10_000, to: "d/log", each: 100_000)
        #expect(looks(fixture) - before < 60, "\(looks(fixture) - before) looks")
        #expect(iterations < 1_200, "\(iterations) iterations")
        // The last state is told without another event.
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
        fixture.wait(seconds: 10)
        #expect(fixture.watcher.nextDeadline == nil)
    }

    @Test func aBarrierForcesIt() {
        let fixture = fixture(files: ["d/log"])
        for round in 0..<20 {
            _ = run(fixture, writes: 200, to: "d/log", each: 100_000)
            fixture.kernel.write("/c/d/log", size: 1_000_000 + Int64(round))
            let barrier = fixture.watcher.barrier()
            #expect(!fixture.watcher.isReached(barrier))
            while fixture.watcher.iterate() {}
            #expect(fixture.watcher.isReached(barrier))
            fixture.expectEqual("/c")
        }
    }

    @Test func otherChangesArePublishedAtOnce() {
        let fixture = fixture(files: ["d/log", "d/other"])
        _ = run(fixture, writes: 1_000, to: "d/log", each: 100_000)
        fixture.tree.log = []
        fixture.kernel.write("/c/d/log", size: 5)
        fixture.kernel.write("/c/d/other", size: 5)
        fixture.kernel.create("/c/e/new")
        _ = fixture.watcher.iterate()
        #expect(fixture.tree.log.contains("update d/other") && fixture.tree.log.contains("insert e/new"))
        #expect(!fixture.tree.log.contains("update d/log"))
    }

    @Test func `An iteration that finds nothing leaves it at the time when events are read again`() throws {
        let fixture = fixture(files: ["d/log"])
        _ = run(fixture, writes: 1_000, to: "d/log", each: 100_000)
        // The last of them may have come in a pause.
        while fixture.watcher.readsAgain == nil {
            fixture.kernel.advance(100_000)
            fixture.kernel.write("/c/d/log", size: 7)
            while fixture.watcher.iterate() {}
        }
        while fixture.kernel.state.withLock({ !$0.queue.isEmpty }) { _ = fixture.watcher.iterate() }
        let time = try #require(fixture.watcher.readsAgain)
        try #require(time > fixture.kernel.now())
        _ = fixture.watcher.iterate()
        #expect(fixture.watcher.readsAgain == time)
        #expect(fixture.watcher.isPausing)
        fixture.kernel.state.withLock { $0.now = time }
        _ = fixture.watcher.iterate()
        #expect(fixture.watcher.readsAgain == nil)
        #expect(!fixture.watcher.isPausing)
    }

    @Test func aHotFileThatIsRenamedOrRemovedIsPublishedAtOnce() {
        let fixture = fixture(files: ["d/log"])
        _ = run(fixture, writes: 1_000, to: "d/log", each: 100_000)
        fixture.tree.log = []
        fixture.kernel.move("/c/d/log", "/c/d/log.1")
        _ = fixture.watcher.iterate()
        #expect(fixture.tree.log.contains("move d/log -> d/log.1"))
        fixture.kernel.remove("/c/d/log.1")
        _ = fixture.watcher.iterate()
        #expect(fixture.tree.log.contains("remove d/log.1"))
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
    }

    /// Twenty thousand files are touched at three microseconds for each look: a change in another directory does not
    /// stand in line, and no iteration takes much longer than it may.
    @Test func aFloodIsLetPast() {
        let fixture = fixture(files: (0..<20_000).map { "d/f\($0)" } + ["e/other"])
        for index in 0..<20_000 { fixture.kernel.write("/c/d/f\(index)", size: 1) }
        fixture.kernel.write("/c/e/other", size: 9)
        fixture.kernel.create("/c/d/new")
        fixture.kernel.state.withLock { $0.costOfLook = 3_000 }
        fixture.tree.log = []
        let began = fixture.kernel.now()
        while fixture.kernel.state.withLock({ !$0.queue.isEmpty }) { _ = fixture.watcher.iterate() }
        #expect(fixture.tree.log.contains("update e/other") && fixture.tree.log.contains("insert d/new"))
        #expect(fixture.kernel.now() - began < 20_000_000)
        var (iterations, longest) = (0, UInt64(0))
        var more = true
        while more {
            let start = fixture.kernel.now()
            more = fixture.watcher.iterate()
            longest = max(longest, fixture.kernel.now() - start)
            iterations += 1
        }
        #expect(iterations > 5)
        #expect(longest <= 10_000_000, "\(longest) ns")
        fixture.expectEqual("/c")
    }

    @Test func aFloodIsExactAtABarrier() {
        let fixture = fixture(files: (0..<3_000).map { "d/f\($0)" })
        fixture.kernel.state.withLock { $0.costOfLook = 10_000 }
        for index in 0..<3_000 { fixture.kernel.write("/c/d/f\(index)", size: 1) }
        let barrier = fixture.watcher.barrier()
        while !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        fixture.expectEqual("/c")
    }

    /// Two thousand names of one file go in one read: the names that are left are gone through a few times, not once for
    /// each that goes.
    @Test func aFileOfManyNamesIsRemoved() {
        let fixture = fixture(files: ["e/first"])
        for index in 0..<2_000 { fixture.kernel.link("/c/e/first", "/c/d/l\(index)") }
        fixture.rest()
        fixture.expectEqual("/c")
        let searches = fixture.tree.inodeSearches
        let before = looks(fixture)
        for index in 0..<2_000 { fixture.kernel.remove("/c/d/l\(index)") }
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.inodeSearches - searches < 100, "\(fixture.tree.inodeSearches - searches) searches")
        #expect(looks(fixture) - before < 3 * 2_000)
    }
}
