// Directories that are not what was found under their names: file systems without stable inode numbers.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Synchronization
import Testing

@Suite struct UnstableDirectoryTests {
    /// Which looks at a directory find another number: all, those at itself and not at its name, or those of another opening.
    enum Looks: String, CaseIterable, CustomTestStringConvertible {
        case all, within, opening

        var testDescription: String { rawValue }
    }

    private func setUnstable(_ fixture: PlayedFixture, _ path: String, _ looks: Looks) throws {
        let inode = try #require(fixture.kernel.inode(path))
        fixture.kernel.state.withLock {
            ($0.unstableInode, $0.unstableLooks) = (inode, 1_000_000_000)
            ($0.isUnstableWithin, $0.isUnstableByOpening) = (looks == .within, looks == .opening)
        }
    }

    /// The known entries but for the directory, whose own state is that of one look or another, and its entries.
    private func known(_ contents: [[UInt8]: FileStatus], without name: String) -> [[UInt8]: FileStatus] {
        contents.filter { path, _ in !path.starts(with: Array(name.utf8)) }
    }

    /// The most reads of it and of the directory above, and the most looks, that a poll may cost.
    private let readsOfAPoll: UInt64 = 2
    private let looksOfAPoll = 30

    /// While its number never stays, its entries are unknown: it is looked at from time to time, and holds up no barrier.
    @Test(arguments: Looks.allCases, [true, false]) func `A directory that has another number at each look is polled`(
        looks: Looks, isNew: Bool
    ) throws {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/d", "/c/d/e"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/f", "/c/d/g", "/c/d/e/h"] { fixture.kernel.create(name) }
        if isNew { try setUnstable(fixture, "/c/d", looks) }
        fixture.watcher.addContainer(1, path: "/c")
        if !isNew {
            fixture.wait(seconds: 5)
            try setUnstable(fixture, "/c/d", looks)
            fixture.kernel.write("/c/d/g", size: 7)
            fixture.kernel.overflow()
        }
        fixture.kernel.write("/c/f", size: 7)
        let barrier = fixture.watcher.barrier()
        for _ in 0..<200 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.wait(seconds: 5)
        func expectOthersEqual() {
            #expect(
                known(fixture.tree.contents(of: 1), without: "d")
                    == known(fixture.kernel.contents(below: "/c"), without: "d"))
            #expect(fixture.tree.node(at: "d") != nil)
        }
        expectOthersEqual()
        func state() -> WatchState? { fixture.watcher.state(of: 1) }
        guard case .degraded(let reason) = state() else {
            Issue.record("\(String(describing: state()))")
            return
        }
        #expect(reason.hasPrefix("1 of ") && reason.contains("inode number"), "\(reason)")
        let reads = fixture.watcher.counters.directoriesRead
        let before = fixture.kernel.state.withLock { $0.looks }
        let identity = fixture.tree.identity(at: "d")
        fixture.wait(seconds: 300)
        #expect(fixture.watcher.counters.directoriesRead - reads <= 10 * readsOfAPoll)
        #expect(fixture.kernel.state.withLock { $0.looks } - before <= 10 * looksOfAPoll)
        #expect(fixture.tree.identity(at: "d") == identity)
        // Whatever is written there, nothing else is compared for it.
        for size in 1...20 {
            fixture.kernel.write("/c/d/g", size: Int64(size))
            fixture.rest()
        }
        #expect(fixture.watcher.counters.directoriesRead - reads <= 11 * readsOfAPoll)
        // Changes of other directories are told as ever.
        fixture.kernel.create("/c/n", .directory)
        fixture.kernel.create("/c/n/f")
        fixture.rest()
        expectOthersEqual()
        fixture.kernel.state.withLock { $0.unstableLooks = 0 }
        fixture.wait(seconds: 61)
        fixture.expectEqual("/c")
        #expect(state() == .live)
        fixture.kernel.write("/c/d/e/h", size: 9)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    @Test(arguments: Looks.allCases, [true, false]) func `So is a container's own`(looks: Looks, isNew: Bool) throws {
        let fixture = PlayedFixture(containers: [1, 2])
        for name in ["/c", "/c/d", "/o"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/d/g", "/o/f"] { fixture.kernel.create(name) }
        if isNew { try setUnstable(fixture, "/c", looks) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.watcher.addContainer(2, path: "/o")
        if !isNew {
            fixture.wait(seconds: 5)
            try setUnstable(fixture, "/c", looks)
            fixture.watcher.rescan(1) { _ in }
        }
        fixture.wait(seconds: 5)
        let state = fixture.watcher.state(of: 1)
        switch state {
        case .unavailable, .degraded: break
        default: Issue.record("\(String(describing: state))")
        }
        let reads = fixture.watcher.counters.directoriesRead
        let before = fixture.kernel.state.withLock { $0.looks }
        fixture.wait(seconds: 300)
        #expect(fixture.watcher.counters.directoriesRead - reads <= 10 * readsOfAPoll)
        #expect(fixture.kernel.state.withLock { $0.looks } - before <= 10 * looksOfAPoll)
        fixture.kernel.write("/o/f", size: 3)
        fixture.rest()
        fixture.expectEqual("/o", container: 2)
        fixture.kernel.state.withLock { $0.unstableLooks = 0 }
        fixture.wait(seconds: 61)
        fixture.expectEqual("/c")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// At a barrier that is made now everything is known, and watched.
    private func expectLiveAtBarrier(_ fixture: PlayedFixture) {
        let barrier = fixture.watcher.barrier()
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) {
            fixture.kernel.advance(1_000_000)
            _ = fixture.watcher.iterate()
        }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// Each time it is to be read it has moved with the directory above: that is told, and its entries are known at once.
    @Test func `A directory that moves with the one above all the time is not one of them`() {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/a"] { fixture.kernel.create(name, .directory) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.watcher.jobs.areRead = false
        fixture.kernel.create("/c/a/n", .directory)
        fixture.kernel.create("/c/a/n/f")
        for _ in 0..<3 { _ = fixture.watcher.iterate() }
        for number in 0..<40 {
            let (old, new) = (number == 0 ? "/c/a" : "/c/a\(number)", "/c/a\(number + 1)")
            fixture.kernel.move(old, new)
            fixture.watcher.jobs.areRead = true
            // The job finds nothing where it goes: that is heard after it.
            fixture.kernel.state.withLock { $0.readable = 0 }
            _ = fixture.watcher.iterate()
            fixture.watcher.jobs.areRead = false
            fixture.kernel.state.withLock { $0.readable = nil }
            for _ in 0..<4 {
                fixture.kernel.advance(3_000_000)
                _ = fixture.watcher.iterate()
            }
        }
        fixture.watcher.jobs.areRead = true
        expectLiveAtBarrier(fixture)
    }

    /// Programs that put others in a directory's place have each event looked into, and the last entries known at once.
    @Test func `A directory that is exchanged all the time is not one of them`() {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/d", "/x", "/x/e"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/d/g")
        fixture.kernel.create("/x/e/h")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        for _ in 0..<100 {
            // Each time it is to be read there is another.
            fixture.watcher.jobs.areRead = false
            fixture.kernel.exchange("/c/d", "/x/e")
            for _ in 0..<3 {
                fixture.kernel.advance(1_000_000)
                _ = fixture.watcher.iterate()
            }
            fixture.kernel.exchange("/c/d", "/x/e")
            fixture.watcher.jobs.areRead = true
            _ = fixture.watcher.iterate()
        }
        expectLiveAtBarrier(fixture)
    }
}
