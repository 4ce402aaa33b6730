// Results of readings wait for events that were queued before: the loop that drives the watcher is told when to go on.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Synchronization
import Testing

@Suite struct WaitingResultsTests {
    /// A watcher of `/c` with the file `log`, which is about to have `/c/d` read.
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        fixture.kernel.create("/c/log")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.wait(seconds: 10)
        fixture.watcher.jobs.areRead = false
        fixture.kernel.create("/c/d", .directory)
        fixture.rest()
        fixture.watcher.jobs.areRead = true
        return fixture
    }

    private func read(_ count: Int?, _ fixture: PlayedFixture) {
        fixture.kernel.state.withLock { $0.readable = count }
    }

    /// The descriptor is readable as long as it waits, so the loop need not ask again and again.
    @Test func theyAskForNoIteration() {
        let fixture = fixture()
        fixture.kernel.create("/c/f")
        read(0, fixture)
        var iterations = 0
        while fixture.watcher.iterate(), iterations < 100 { iterations += 1 }
        #expect(iterations == 0)
        #expect(fixture.watcher.unfinished.contains("inbox 1"))
        #expect(!fixture.watcher.isPausing)
        read(nil, fixture)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// A file that is written all the time is not read for a while, unless waiting results need it.
    @Test func theyEndAPause() {
        let fixture = fixture()
        fixture.watcher.jobs.areRead = false
        for size in 1...50 {
            fixture.kernel.write("/c/log", size: Int64(size))
            fixture.kernel.advance(100_000)
            while fixture.watcher.iterate() {}
        }
        #expect(fixture.watcher.isPausing)
        fixture.watcher.jobs.areRead = true
        fixture.kernel.write("/c/log", size: 100)
        fixture.kernel.create("/c/f")
        read(1, fixture)
        while fixture.watcher.iterate() {}
        #expect(fixture.watcher.unfinished.contains("inbox 1"))
        #expect(!fixture.watcher.isPausing)
        read(nil, fixture)
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
    }
}
