// A directory is closed after a thread has read it, and before that is known to have been asked for.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization
import Testing

@testable import FileWatching

@Suite struct InaccessibleWhileReadTests {
    // The threads go on from a directory to those in it by themselves: that one of these is being read is known only when what
    // was read of that above is taken, and by then it may have been heard to be closed. That waits for what is queued where
    // something has left it.
    @Test func resultsFromBeforeTheLossOfAccessAreOutOfDate() throws {
        let fixture = PlayedFixture()
        for path in ["/c", "/c/a", "/outside"] { fixture.kernel.create(path, .directory) }
        for path in ["/c/a/stays", "/c/a/goes", "/c/other"] { fixture.kernel.create(path) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.watcher.jobs.areRead = false
        let root = try #require(fixture.watcher.containers[1]?.root)
        fixture.watcher.read(root, descends: true, origin: Origin(position: fixture.watcher.positionNow))
        fixture.kernel.move("/c/a/goes", "/outside/gone")
        while fixture.watcher.pool.performOne() {}
        fixture.kernel.setUnreadable("/c/a", true)
        fixture.kernel.write("/c/other", size: 9)
        fixture.kernel.state.withLock { $0.readable = 3 }
        _ = fixture.watcher.iterate()
        fixture.watcher.jobs.areRead = true
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.rest()
        #expect(fixture.tree.contents(of: 1).count == 2)
        fixture.kernel.setUnreadable("/c/a", false)
        fixture.rest()
        #expect(fixture.tree.contents(of: 1).count == 3)
    }
}
