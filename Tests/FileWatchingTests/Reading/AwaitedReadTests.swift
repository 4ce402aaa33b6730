// An event on a directory that is being read for no barrier: barriers wait for the reading nevertheless.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct AwaitedReadTests {
    /// The readers of directories for which no barrier waits.
    enum Reader: String, CaseIterable, CustomTestStringConvertible {
        case poll, audit, fill

        var testDescription: String { rawValue }
    }

    /// A container in which that is about to read each directory that it reads.
    private func fixture(_ reader: Reader, closed: [String] = []) -> PlayedFixture {
        let fixture = PlayedFixture { if reader == .audit { $0.auditInterval = 20_000_000_000 } }
        for name in ["/c", "/c/d", "/c/d/e"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/d/g", "/c/d/e/h"] { fixture.kernel.create(name) }
        if reader == .poll {
            fixture.kernel.state.withLock { $0.fileSystemType = FileSystemType(rawValue: 0x6969) }
        }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        for path in closed { fixture.kernel.setUnreadable(path, true) }
        fixture.rest()
        fixture.watcher.jobs.areRead = false
        let read = fixture.watcher.counters.directoriesRead
        switch reader {
        case .poll, .audit: fixture.kernel.advance(60_000_000_000)
        case .fill: fixture.watcher.setReadsXattrs(1)
        }
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).outstanding > 0 && fixture.watcher.counters.directoriesRead == read)
        return fixture
    }

    /// Reads one directory at a time until a barrier is reached that is made now, and expects everything then.
    private func expectEqualAtBarrier(_ fixture: PlayedFixture, _ reader: Reader) {
        let barrier = fixture.watcher.barrier()
        for _ in 0..<8 { _ = fixture.watcher.iterate() }
        #expect(!fixture.watcher.isReached(barrier))
        fixture.watcher.jobs.areRead = true
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c", reader.rawValue)
        fixture.watcher.jobs.perIteration = 64
        fixture.rest()
        fixture.expectEqual("/c", reader.rawValue)
    }

    @Test(arguments: Reader.allCases) func `A directory is closed and opened while it is read`(reader: Reader) {
        let fixture = fixture(reader)
        fixture.kernel.setUnreadable("/c/d", true)
        fixture.rest()
        #expect(fixture.tree.node(at: "d/g") == nil)
        fixture.kernel.setUnreadable("/c/d", false)
        expectEqualAtBarrier(fixture, reader)
    }

    @Test(arguments: [Reader.poll, .fill]) func `A closed directory is opened while it is read`(reader: Reader) {
        let fixture = fixture(reader, closed: ["/c/d"])
        #expect(fixture.tree.node(at: "d/g") == nil)
        fixture.kernel.setUnreadable("/c/d", false)
        expectEqualAtBarrier(fixture, reader)
    }

    /// A poll tries what is closed each time, and a question that no event concerns does not wait for that.
    @Test(arguments: [Reader.poll, .fill]) func `A question does not wait for the trying of a closed directory`(
        reader: Reader
    ) {
        let fixture = fixture(reader, closed: ["/c/d"])
        let barrier = fixture.watcher.barrier()
        for _ in 0..<8 { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        #expect(fixture.watcher.figures(of: 1).outstanding > 0)
        fixture.watcher.jobs.areRead = true
        fixture.rest()
        fixture.expectEqual("/c", reader.rawValue)
    }

    /// Nor does one for what lies in a directory that a poll is the first to find.
    @Test func `A question does not wait for what a poll finds`() {
        let fixture = fixture(.poll)
        fixture.kernel.quietly {
            for name in ["/c/n", "/c/n/m"] { fixture.kernel.create(name, .directory) }
            fixture.kernel.create("/c/n/m/f")
        }
        fixture.watcher.jobs.areRead = true
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<20 where fixture.tree.node(at: "n") == nil { _ = fixture.watcher.iterate() }
        fixture.watcher.jobs.areRead = false
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(fixture.tree.node(at: "n") != nil && fixture.watcher.figures(of: 1).outstanding > 0)
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        // An event tells of it, and it waits from then on.
        fixture.kernel.setUnreadable("/c/n", false)
        let second = fixture.watcher.barrier()
        fixture.rest()
        #expect(!fixture.watcher.isReached(second))
        fixture.watcher.jobs.areRead = true
        for _ in 0..<100 where !fixture.watcher.isReached(second) { _ = fixture.watcher.iterate() }
        #expect(fixture.tree.node(at: "n/m/f") != nil)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// A poll has found two directories and had them read and watched, and one of them tells of something before that is taken.
    @Test func `An event is held for what a poll finds`() {
        let fixture = PlayedFixture { $0.crawledEntriesPerIteration = 1 }
        fixture.kernel.create("/c", .directory)
        fixture.kernel.state.withLock { $0.fileSystemType = FileSystemType(rawValue: 0x6969) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.kernel.quietly {
            for name in ["/c/n", "/c/o"] { fixture.kernel.create(name, .directory) }
            for name in ["/c/n/f", "/c/o/f"] { fixture.kernel.create(name) }
        }
        fixture.watcher.jobs.perIteration = 1
        fixture.kernel.advance(60_000_000_000)
        for _ in 0..<20 where fixture.tree.node(at: "o") == nil || fixture.tree.node(at: "n") == nil {
            _ = fixture.watcher.iterate()
        }
        #expect(fixture.watcher.figures(of: 1).outstanding == 2)
        // The results from before this are taken after it.
        fixture.kernel.state.withLock { $0.readable = 0 }
        fixture.kernel.create("/c/first")
        fixture.watcher.jobs.perIteration = 2
        _ = fixture.watcher.iterate()
        for name in ["/c/n/new", "/c/o/new"] { fixture.kernel.create(name) }
        fixture.kernel.state.withLock { $0.readable = nil }
        let barrier = fixture.watcher.barrier()
        for _ in 0..<20 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        for name in ["n/new", "o/new"] { #expect(fixture.tree.node(at: name) != nil, "\(name)") }
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// A comparison need not read what others have read, and is over before that is.
    @Test func `A comparison comes by a directory that is read for something later`() {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        for name in ["/c/n", "/c/n/m"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/n/m/f")
        fixture.kernel.overflow()
        let barrier = fixture.watcher.barrier()
        fixture.kernel.setUnreadable("/c/n", false)
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<20 where fixture.tree.node(at: "n/m") == nil { _ = fixture.watcher.iterate() }
        fixture.watcher.jobs.areRead = false
        fixture.rest()
        #expect(fixture.tree.node(at: "n/m") != nil && fixture.tree.node(at: "n/m/f") == nil)
        #expect(fixture.watcher.state(of: 1) == .live && !fixture.watcher.isReached(barrier))
        fixture.watcher.jobs.areRead = true
        for _ in 0..<20 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c")
    }

    /// No event has told that it is closed, and the one that names an entry finds it.
    @Test(arguments: Reader.allCases) func `A look-up is refused in a directory that is read`(reader: Reader) {
        let fixture = fixture(reader)
        fixture.kernel.quietly { fixture.kernel.setUnsearchable("/c/d", true) }
        fixture.kernel.write("/c/d/g", size: 9)
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).unreadable == 1)
        #expect(!fixture.watcher.isReached(barrier))
        fixture.watcher.jobs.areRead = true
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        #expect(fixture.tree.node(at: "d") != nil && fixture.tree.node(at: "d/g") == nil)
        fixture.rest()
    }

    /// Both tell that it may be read: a change of its own mode, which waits behind others to be looked into, and a later one of
    /// the directory above, for which it is read.
    @Test func `A directory is read for what is told later than a barrier`() {
        let fixture = PlayedFixture { $0.iterationBudget = 0 }
        for name in ["/c", "/c/p", "/c/p/d", "/c/p/d/e", "/c/q"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/p/d/e/h")
        for number in 0..<900 { fixture.kernel.create("/c/p/x\(number)") }
        fixture.kernel.setUnreadable("/c/p/d", true)
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        #expect(fixture.tree.node(at: "p/d") != nil && fixture.tree.node(at: "p/d/e") == nil)
        for number in 0..<300 { fixture.kernel.create("/c/q/f\(number)") }
        for number in 0..<900 { fixture.kernel.write("/c/p/x\(number)", size: 9) }
        fixture.kernel.setUnreadable("/c/p/d", false)
        let barrier = fixture.watcher.barrier()
        fixture.kernel.setUnreadable("/c/p", false)
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<12 where fixture.tree.node(at: "p/d/e") == nil { _ = fixture.watcher.iterate() }
        fixture.watcher.jobs.areRead = false
        #expect(fixture.tree.node(at: "p/d/e") != nil && fixture.watcher.waitingLookUps > 0)
        expectBarrierWaits(fixture, barrier, iterations: 40, for: "p/d/e/h")
    }

    /// Everything was looked into after so many iterations, and the barrier still waits for what is to be read; then that is known.
    private func expectBarrierWaits(_ fixture: PlayedFixture, _ barrier: Barrier, iterations: Int, for path: String) {
        for _ in 0..<iterations { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.waitingLookUps == 0 && !fixture.watcher.isReached(barrier))
        fixture.watcher.jobs.areRead = true
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        #expect(fixture.tree.node(at: path) != nil)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// The event that tells that it is open waits behind others to be looked into.
    @Test func `A directory is open and read before that is looked into`() {
        let fixture = PlayedFixture { $0.iterationBudget = 0 }
        for name in ["/c", "/c/d", "/c/d/e"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/d/e/h")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.kernel.setUnreadable("/c/d", true)
        fixture.rest()
        for number in 0..<500 { fixture.kernel.create("/c/f\(number)") }
        fixture.kernel.setUnreadable("/c/d", false)
        let barrier = fixture.watcher.barrier()
        fixture.kernel.create("/c/behind")
        fixture.watcher.jobs.areRead = false
        fixture.watcher.setReadsXattrs(1)
        _ = fixture.watcher.iterate()
        fixture.watcher.jobs.areRead = true
        fixture.watcher.jobs.perIteration = 1
        for _ in 0..<3 where fixture.tree.node(at: "d/e") == nil { _ = fixture.watcher.iterate() }
        #expect(fixture.tree.node(at: "d/e") != nil && fixture.watcher.waitingLookUps > 0)
        fixture.watcher.jobs.areRead = false
        expectBarrierWaits(fixture, barrier, iterations: 20, for: "d/e/h")
    }

    @Test(arguments: Reader.allCases) func `A directory loses its watch while it is read`(reader: Reader) throws {
        let fixture = fixture(reader)
        let directory = try #require(fixture.kernel.inode("/c/d"))
        let watch = fixture.kernel.state.withLock { $0.inodes[directory]?.watch }
        try fixture.kernel.removeWatch(#require(watch))
        fixture.kernel.create("/c/d/new")
        expectEqualAtBarrier(fixture, reader)
    }

    /// The wait for a reading goes with its directory, or with its container.
    @Test(arguments: Reader.allCases, ["/c/d", "/c", ""]) func `A directory goes while a barrier waits for it`(
        reader: Reader, path: String
    ) {
        let fixture = fixture(reader)
        fixture.kernel.setUnreadable("/c/d", true)
        fixture.rest()
        fixture.kernel.setUnreadable("/c/d", false)
        let barrier = fixture.watcher.barrier()
        fixture.rest()
        #expect(!fixture.watcher.isReached(barrier))
        if path.isEmpty {
            fixture.watcher.removeContainer(1)
        } else {
            fixture.kernel.move(path, "/gone")
        }
        // Its leaving is kept until all has been read.
        fixture.watcher.jobs.areRead = true
        fixture.wait(seconds: 1)
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
    }
}
