// What an event has told of a directory that is being read for nobody: barriers wait for it nevertheless.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct AwaitedReadTests {
    /// What reads directories for which no barrier waits.
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
        fixture.watcher.performsJobs = false
        let read = fixture.watcher.counters.directoriesRead
        switch reader {
        case .poll, .audit: fixture.kernel.advance(60_000_000_000)
        case .fill: fixture.watcher.setReadsExtras(1)
        }
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).outstanding > 0 && fixture.watcher.counters.directoriesRead == read)
        return fixture
    }

    /// Reads one directory at a time until a barrier is reached that is made now, and expects everything then.
    private func expectEqualAtBarrier(_ fixture: PlayedFixture, _ reader: Reader) {
        let barrier = fixture.watcher.barrier()
        for _ in 0..<8 { _ = fixture.watcher.turn() }
        #expect(!fixture.watcher.isReached(barrier))
        fixture.watcher.performsJobs = true
        fixture.watcher.jobsPerTurn = 1
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.turn() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c", reader.rawValue)
        fixture.watcher.jobsPerTurn = 64
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

    /// The event that tells that it is open waits behind others to be looked into.
    @Test func `A directory is open and read before that is looked into`() {
        let fixture = PlayedFixture { $0.turnBudget = 0 }
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
        fixture.watcher.performsJobs = false
        fixture.watcher.setReadsExtras(1)
        _ = fixture.watcher.turn()
        fixture.watcher.performsJobs = true
        fixture.watcher.jobsPerTurn = 1
        for _ in 0..<3 where fixture.tree.node(at: "d/e") == nil { _ = fixture.watcher.turn() }
        #expect(fixture.tree.node(at: "d/e") != nil && fixture.watcher.waitingLookUps > 0)
        fixture.watcher.performsJobs = false
        for _ in 0..<20 { _ = fixture.watcher.turn() }
        #expect(fixture.watcher.waitingLookUps == 0 && !fixture.watcher.isReached(barrier))
        fixture.watcher.performsJobs = true
        for _ in 0..<100 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.turn() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        #expect(fixture.tree.node(at: "d/e/h") != nil)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    @Test(arguments: Reader.allCases) func `A directory loses its watch while it is read`(reader: Reader) throws {
        let fixture = fixture(reader)
        let directory = try #require(fixture.kernel.inode("/c/d"))
        let watch = fixture.kernel.state.withLock { $0.inodes[directory]?.watch }
        try fixture.kernel.removeWatch(#require(watch))
        fixture.kernel.create("/c/d/new")
        expectEqualAtBarrier(fixture, reader)
    }

    /// What waited for a reading goes with its directory, or with its container.
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
        fixture.watcher.performsJobs = true
        fixture.wait(seconds: 1)
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
    }
}
