// Comparisons while events are lost again and again: each ends, no two pile up, and there is time between them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct PacedComparisonTests {
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture { $0.comparisonWindow = 1 }
        fixture.kernel.create("/c", .directory)
        for index in 0..<30 {
            fixture.kernel.create("/c/d\(index)", .directory)
            fixture.kernel.create("/c/d\(index)/f")
        }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    private func overflow(_ fixture: PlayedFixture) {
        fixture.kernel.overflow(after: fixture.kernel.state.withLock { $0.queue.count })
    }

    /// However often events are lost meanwhile, what was lost before a barrier is told when it is reached.
    @Test(arguments: 1...7) func eachOneCompletes(every steps: Int) {
        let fixture = fixture()
        var lost = 0
        for round in 0..<6 {
            fixture.kernel.quietly { fixture.kernel.create("/c/d\(round * 5)/lost") }
            overflow(fixture)
            let barrier = fixture.watcher.barrier()
            var iterations = 0
            while !fixture.watcher.isReached(barrier), iterations < 3_000 {
                if iterations % steps == 0 {
                    overflow(fixture)
                    lost += 1
                }
                _ = fixture.watcher.iterate()
                fixture.kernel.advance(1_000_000)
                iterations += 1
            }
            #expect(fixture.watcher.isReached(barrier), "round \(round): \(fixture.watcher.unfinished)")
            #expect(fixture.tree.node(at: "d\(round * 5)/lost") != nil, "round \(round)")
        }
        #expect(lost > 20)
        fixture.wait(seconds: 10)
        fixture.expectEqual("/c")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// Directories that come without end do not keep a comparison from ending.
    @Test func newDirectoriesWithoutEnd() {
        let fixture = fixture()
        overflow(fixture)
        let barrier = fixture.watcher.barrier()
        var iterations = 0
        while !fixture.watcher.isReached(barrier), iterations < 3_000 {
            fixture.kernel.create("/c/d\(iterations % 30)/new\(iterations)", .directory)
            _ = fixture.watcher.iterate()
            iterations += 1
        }
        #expect(iterations < 3_000, "\(fixture.watcher.unfinished)")
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
    }

    /// Events come through while one comparison follows another, and directories are read half of the time.
    @Test func thereIsTimeBetweenThem() {
        let fixture = fixture()
        var (reading, reported, iterations) = (0, 0, 0)
        while iterations < 4_000 {
            let before = fixture.watcher.counters.directoriesRead
            if iterations % 10 == 0 { overflow(fixture) }
            fixture.kernel.write("/c/d1/f", size: Int64(iterations + 1))
            _ = fixture.watcher.iterate()
            if fixture.watcher.counters.directoriesRead > before { reading += 1 }
            fixture.kernel.advance(1_000_000)
            iterations += 1
        }
        for notice in fixture.watcher.takeNotices() { if case .compared = notice { reported += 1 } }
        #expect(reported > 10, "\(reported) comparisons")
        #expect(reading < 2_600, "\(reading) of \(iterations) iterations")
        fixture.wait(seconds: 10)
        fixture.expectEqual("/c")
    }

    /// Those who ask in the middle are answered by the comparison that begins after they have asked.
    @Test func askedForWhileOneIsUnderWay() {
        let fixture = fixture()
        var answers = 0
        for _ in 0..<50 {
            fixture.watcher.rescan(1) { _ in answers += 1 }
            _ = fixture.watcher.iterate()
        }
        fixture.wait(seconds: 60)
        #expect(answers == 50)
        #expect(fixture.watcher.counters.directoriesRead < 31 * 12)
    }
}
