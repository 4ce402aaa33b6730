// Rows that left the tree for a while and may have moved on: they are waited for, and no more often than there is reason to.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Synchronization
import Testing

@testable import FileWatching

@Suite struct MovingOnTests {
    /// A row is taken out of its place while what has left that is in a directory that has not been read.
    private func detach(beside directories: Int = 0) throws -> (PlayedFixture, identity: Int) {
        let fixture = PlayedFixture(containers: [1])
        for name in ["/c", "/c/d", "/o"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/d/f", "/o/f"] { fixture.kernel.create(name) }
        for number in 0..<directories { fixture.kernel.create("/c/\(number)", .directory) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        let identity = try #require(fixture.tree.identity(at: "d/f"))
        fixture.watcher.jobs.areRead = false
        fixture.kernel.create("/c/new", .directory)
        fixture.kernel.move("/c/d/f", "/c/new/f")
        fixture.kernel.move("/o/f", "/c/d/f")
        fixture.rest()
        #expect(fixture.tree.identity(at: "d/f") != identity)
        return (fixture, identity)
    }

    @Test func `Many names that come and go are waited for once`() throws {
        let (fixture, identity) = try detach()
        let before = fixture.kernel.state.withLock { $0.awaited }
        for number in 0..<500 {
            fixture.kernel.create("/c/d/t\(number)")
            fixture.kernel.move("/c/d/t\(number)", "/c/d/u\(number)")
            fixture.kernel.create("/c/gone\(number)")
            fixture.kernel.remove("/c/gone\(number)")
        }
        fixture.rest()
        let awaited = fixture.kernel.state.withLock { $0.awaited } - before
        #expect((1...20).contains(awaited), "\(awaited)")
        fixture.kernel.move("/c/new/f", "/c/g")
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "g") == identity)
    }

    @Test func `Very many directories are waited for in several iterations`() throws {
        let count = 3 * WatchLimits.movedOnPerIteration
        let (fixture, identity) = try detach(beside: count)
        for number in 0..<count {
            fixture.kernel.create("/c/\(number)/x")
            fixture.kernel.remove("/c/\(number)/x")
        }
        func awaited() -> Int { fixture.kernel.state.withLock { $0.awaited } }
        let before = awaited()
        var isMore = true
        while isMore {
            let last = awaited()
            isMore = fixture.watcher.iterate()
            #expect(awaited() - last <= WatchLimits.movedOnPerIteration)
        }
        #expect(awaited() - before >= count)
        fixture.kernel.move("/c/new/f", "/c/g")
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "g") == identity)
    }
}
