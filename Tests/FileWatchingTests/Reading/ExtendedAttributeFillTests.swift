// Reading extended attributes of what is known already: a comparison in the background, for which only callers that ask for them wait.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct ExtendedAttributeFillTests {
    /// A container with a directory and a file in it, and something else that was read and is not under way.
    func started(directories: Int = 3) -> PlayedFixture {
        let fixture = PlayedFixture()
        fixture.kernel.create("c", .directory)
        for number in 0..<directories {
            fixture.kernel.create("c/d\(number)", .directory)
            fixture.kernel.create("c/d\(number)/f")
        }
        fixture.kernel.create("outside", .directory)
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    /// With what fills it held back.
    func filling(_ fixture: PlayedFixture, completion: @escaping () -> Void = {}) {
        fixture.watcher.jobs.areRead = false
        fixture.watcher.setReadsXattrs(1, completion: completion)
        fixture.rest()
    }

    @Test func `A question about anything else does not wait for it`() {
        let fixture = started()
        var isFilled = false
        filling(fixture) { isFilled = true }
        #expect(fixture.watcher.isReached(fixture.watcher.barrier()))
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.kernel.create("c/new")
        fixture.kernel.write("c/d1/f", size: 5)
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        #expect(!isFilled)
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        #expect(isFilled)
        fixture.expectEqual("c")
    }

    @Test func `An entry that goes while the fill is under way is told at once`() {
        let fixture = started()
        filling(fixture)
        fixture.kernel.remove("c/d0/f")
        fixture.kernel.remove("c/d0")
        fixture.kernel.move("c/d1/f", "outside/f")
        fixture.kernel.move("c/d2", "outside/d2")
        let barrier = fixture.watcher.barrier()
        fixture.wait(seconds: 5)
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("c")
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        fixture.expectEqual("c")
    }

    @Test func `Events that are lost meanwhile make it a comparison that questions wait for`() {
        let fixture = started()
        var isFilled = false
        filling(fixture) { isFilled = true }
        fixture.kernel.create("c/d1/lost")
        fixture.kernel.overflow()
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(!fixture.watcher.isReached(barrier))
        #expect(fixture.watcher.state(of: 1) == .verifying)
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        #expect(isFilled)
        #expect(fixture.watcher.isReached(barrier))
        fixture.expectEqual("c")
    }

    @Test func `Extended attributes asked for while everything is read anyway read nothing twice`() {
        let fixture = started(directories: 8)
        fixture.watcher.jobs.areRead = false
        var isCompared = false
        var isFilled = false
        fixture.watcher.rescan(1) { _ in isCompared = true }
        fixture.watcher.setReadsXattrs(1) { isFilled = true }
        let before = fixture.watcher.counters.directoriesRead
        fixture.rest()
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        #expect(isCompared && isFilled)
        // The container's own, and the eight in it.
        #expect(fixture.watcher.counters.directoriesRead == before + 9)
        for number in 0..<8 {
            #expect(fixture.tree.node(at: "d\(number)/f").map { fixture.tree.entry($0).xattrs } == [])
        }
    }

    @Test func `Extended attributes asked for while everything was read before are read behind it`() {
        let fixture = started()
        fixture.watcher.jobs.areRead = false
        fixture.watcher.rescan(1) { _ in }
        // The jobs have been given out, and do not read them.
        fixture.rest()
        var isFilled = false
        fixture.watcher.setReadsXattrs(1) { isFilled = true }
        #expect(fixture.watcher.state(of: 1) == .verifying)
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        #expect(isFilled)
        for number in 0..<3 {
            #expect(fixture.tree.node(at: "d\(number)/f").map { fixture.tree.entry($0).xattrs } == [])
        }
    }

    @Test func `A directory that is lost and found while it is asked for is verified`() {
        let fixture = started()
        // In one read with the question: another directory stands in its place.
        fixture.kernel.create("other", .directory)
        fixture.kernel.create("other/g")
        fixture.kernel.state.withLock { $0.readable = 0 }
        fixture.kernel.move("c", "outside/c")
        fixture.kernel.move("other", "c")
        var isFilled = false
        fixture.watcher.setReadsXattrs(1) { isFilled = true }
        fixture.kernel.state.withLock { $0.readable = nil }
        fixture.wait(seconds: 5)
        #expect(isFilled)
        fixture.expectEqual("c")
        #expect(fixture.tree.node(at: "g").map { fixture.tree.entry($0).xattrs } == [])
    }
}
