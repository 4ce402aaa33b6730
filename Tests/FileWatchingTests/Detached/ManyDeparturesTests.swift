// Many that leave the containers at once, where others are made in their places: they end together.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization
import Testing

@testable import FileWatching

@Suite struct ManyDeparturesTests {
    /// Each may lie in what has its name now, so a look comes before the end of any; not one look and one crawl for each.
    @Test func theyEndTogether() {
        let fixture = PlayedFixture()
        let count = 200
        for path in ["/c", "/outside"] { fixture.kernel.create(path, .directory) }
        for number in 0..<count { fixture.kernel.create("/c/d\(number)", .directory) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        for number in 0..<count {
            fixture.kernel.move("/c/d\(number)", "/outside/d\(number)")
            fixture.kernel.create("/c/d\(number)", .directory)
        }
        let barrier = fixture.watcher.barrier()
        var iterations = 0
        while !fixture.watcher.isReached(barrier), iterations < 10 * count {
            if !fixture.watcher.iterate(), let deadline = fixture.watcher.nextDeadline {
                fixture.kernel.state.withLock { $0.now = max($0.now, deadline) }
            }
            _ = fixture.watcher.takeNotices()
            iterations += 1
        }
        #expect(iterations < count / 4, "\(iterations)")
        fixture.expectEqual("/c")
    }
}
