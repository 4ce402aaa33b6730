// Files that have lost one of several names are looked at again, and no barrier waits for that longer than need be.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Testing

@Suite struct UnresolvedLinkTests {
    private func started() -> PlayedFixture {
        let fixture = PlayedFixture(containers: [1, 2])
        for directory in ["c", "c/d", "o", "o/d", "outside"] { fixture.kernel.create(directory, .directory) }
        fixture.kernel.create("c/a")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    @Test func `A question does not wait for the reading of another container`() {
        let fixture = started()
        fixture.kernel.link("c/a", "c/b")
        fixture.rest()
        fixture.watcher.jobs.areRead = false
        fixture.watcher.addContainer(2, path: "/o")
        fixture.rest()
        fixture.kernel.remove("c/b")
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(fixture.watcher.isReached(barrier, in: [1]), "\(fixture.watcher.unfinished)")
        #expect(!fixture.watcher.isReached(barrier, in: [2]))
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        fixture.expectEqual("c")
    }

    /// A name is lost in each iteration, and there is always a pending rename whose time is not over.
    @Test func `A barrier is reached while names come and go and others move out`() {
        let fixture = started()
        var barrier = fixture.watcher.barrier()
        var iterations = 0
        // A name elsewhere keeps it a file of several names.
        fixture.kernel.link("c/a", "outside/kept")
        for round in 0..<200 {
            fixture.kernel.link("c/a", "c/b")
            fixture.kernel.create("c/d/x\(round)")
            _ = fixture.watcher.iterate()
            fixture.kernel.advance(700_000)
            fixture.kernel.move("c/d/x\(round)", "outside/x\(round)")
            fixture.kernel.remove("c/b")
            if round == 20 { barrier = fixture.watcher.barrier() }
            _ = fixture.watcher.iterate()
            fixture.kernel.advance(700_000)
            if round >= 20 {
                if fixture.watcher.isReached(barrier, in: [1]) { break }
                iterations += 1
            }
        }
        #expect(iterations < 50, "\(fixture.watcher.unfinished)")
        fixture.wait(seconds: 1)
        fixture.expectEqual("c")
    }

    /// The last name but one is in a directory that a look-up will find, and is replaced before that is read: of which the
    /// kernel tells nothing. The look-up waits behind others.
    @Test(arguments: [false, true]) func `A name goes where a look-up that waits will have read`(isInaccessible: Bool) {
        let fixture = PlayedFixture { $0.iterationBudget = 0 }
        for name in ["/c", "/c/p", "/c/q"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/a", "/c/x"] { fixture.kernel.create(name) }
        for number in 0..<900 { fixture.kernel.create("/c/p/x\(number)") }
        fixture.kernel.link("/c/a", "/c/b")
        if isInaccessible {
            fixture.kernel.create("/c/p/d", .directory)
            fixture.kernel.link("/c/a", "/c/p/d/h")
            fixture.kernel.setUnreadable("/c/p/d", true)
        }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.kernel.remove("/c/b")
        for number in 0..<300 { fixture.kernel.create("/c/q/f\(number)") }
        if isInaccessible {
            for number in 0..<900 { fixture.kernel.write("/c/p/x\(number)", size: 9) }
            fixture.kernel.setUnreadable("/c/p/d", false)
        } else {
            fixture.kernel.create("/c/p/d", .directory)
            fixture.kernel.link("/c/a", "/c/p/d/h")
        }
        fixture.watcher.jobs.areRead = false
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).outstanding > 0 && fixture.watcher.waitingLookUps == 0)
        fixture.kernel.move("/c/x", "/c/p/d/h")
        let barrier = fixture.watcher.barrier()
        fixture.watcher.jobs.areRead = true
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) {
            _ = fixture.watcher.iterate()
            fixture.kernel.advance(1_000_000)
        }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c")
    }
}
