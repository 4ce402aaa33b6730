// The self-audit: each directory is seen in time, at its price, and changes without an event are repaired and counted.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct AuditTests {
    private static let second: UInt64 = 1_000_000_000

    private func fixture(directories: Int, _ change: (inout WatchSettings) -> Void) -> PlayedFixture {
        let fixture = PlayedFixture(settings: change)
        fixture.kernel.create("/c", .directory)
        for index in 0..<directories {
            fixture.kernel.create("/c/d\(index)", .directory)
            fixture.kernel.create("/c/d\(index)/f")
        }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    private func audits(_ fixture: PlayedFixture) -> [(directories: Int, counts: ComparisonCounts)] {
        fixture.notices.compactMap {
            if case .audited(1, let directories, let counts) = $0 { (directories, counts) } else { nil }
        }
    }

    @Test func everyDirectoryIsSeenWithinTheInterval() {
        let fixture = fixture(directories: 100) { $0.auditInterval = 3_600 * AuditTests.second }
        for pass in 0..<3 {
            fixture.kernel.quietly {
                for index in 0..<100 {
                    switch index % 4 {
                    case 0: fixture.kernel.write("/c/d\(index)/f", size: Int64(pass + 1))
                    case 1: fixture.kernel.create("/c/d\(index)/new\(pass)")
                    case 2: fixture.kernel.move("/c/d\(index)/f", "/c/d\(index)/g")
                    default: fixture.kernel.remove("/c/d\(index)/f")
                    }
                    if index % 4 == 2 { fixture.kernel.move("/c/d\(index)/g", "/c/d\(index)/f\(pass)") }
                }
            }
            #expect(fixture.tree.contents(of: 1) != fixture.kernel.contents(below: "/c"))
            fixture.wait(seconds: 3_640)
            fixture.expectEqual("/c", "pass \(pass)")
            fixture.kernel.quietly {
                for index in 0..<100 where index % 4 == 2 {
                    fixture.kernel.move("/c/d\(index)/f\(pass)", "/c/d\(index)/f")
                }
                for index in 0..<100 where index % 4 == 3 { fixture.kernel.create("/c/d\(index)/f") }
            }
            fixture.wait(seconds: 3_640)
            fixture.expectEqual("/c", "pass \(pass), back")
        }
        let passes = audits(fixture)
        #expect(passes.count >= 4 && passes.allSatisfy { $0.directories == 101 })
        #expect(passes.reduce(0) { $0 + $1.counts.added } == 3 * (25 + 25))
        #expect(passes.reduce(0) { $0 + $1.counts.removed } == 3 * 25)
        #expect(fixture.watcher.counters.auditPasses == UInt64(passes.count))
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// A change with an event is no finding, however late the event is read.
    @Test func changesWithAnEventAreNotCounted() {
        let fixture = fixture(directories: 20) { $0.auditInterval = 60 * AuditTests.second }
        for step in 0..<200 {
            fixture.kernel.state.withLock { $0.readable = 0 }
            fixture.kernel.write("/c/d\(step % 20)/f", size: Int64(step))
            fixture.kernel.create("/c/d\(step % 20)/n\(step)")
            fixture.kernel.advance(AuditTests.second)
            for _ in 0..<4 { _ = fixture.watcher.iterate() }
            fixture.kernel.state.withLock { $0.readable = nil }
            fixture.wait(seconds: 1)
        }
        #expect(audits(fixture).count >= 3)
        #expect(fixture.watcher.counters.auditRepairs == 0)
        fixture.expectEqual("/c")
    }

    /// A look costs a millisecond: a hundredth of one processor makes ten of them a second, and a slice more of up to 700. The
    /// interval alone would make it sixty a second, two for each directory.
    @Test(arguments: [(0.001, 3_000), (0.01, 300), (0.03, 300)] as [(Double, UInt64)])
    func itKeepsToItsShare(share: Double, seconds: UInt64) {
        let fixture = fixture(directories: 300) {
            ($0.auditInterval, $0.auditShare) = (10 * AuditTests.second, share)
        }
        let before = fixture.kernel.state.withLock { state in
            state.costOfLook = 1_000_000
            return state.looks
        }
        fixture.wait(seconds: seconds)
        let looks = fixture.kernel.state.withLock { $0.looks } - before
        let allowed = Int(share * Double(seconds) * 1_000)
        #expect(looks > allowed / 2 && looks <= allowed + 700, "\(looks) looks")
        #expect(audits(fixture).count >= 2)
    }

    @Test func itWakesSeldom() {
        let fixture = fixture(directories: 1_000) { $0.auditInterval = 1_000 * AuditTests.second }
        fixture.wait(seconds: 20)
        var wakes = 0
        let end = fixture.kernel.now() + 500 * AuditTests.second
        while let deadline = fixture.watcher.nextDeadline, deadline < end {
            if deadline > fixture.kernel.now() + AuditTests.second { wakes += 1 }
            fixture.kernel.state.withLock { $0.now = max($0.now, deadline) }
            fixture.rest()
        }
        // One for each slice, and the directories that it has opened are closed after a while.
        #expect(wakes <= 101, "\(wakes) wake-ups")
    }

    /// Where iterations come now and then anyway, it wakes no thread, and sees everything in time all the same.
    @Test func regularIterationsAreEnough() {
        let fixture = fixture(directories: 100) {
            $0.auditInterval = 3_600 * AuditTests.second
            $0.hasRegularIterations = true
        }
        var sooner = 0
        for step in 0..<245 {
            if step == 120 { fixture.kernel.quietly { fixture.kernel.write("/c/d99/f", size: 7) } }
            if fixture.watcher.nextDeadline != nil { sooner += 1 }
            fixture.kernel.advance(15 * AuditTests.second)
            fixture.rest()
        }
        #expect(fixture.watcher.counters.auditPasses == 1)
        #expect(fixture.watcher.counters.auditRepairs == 1)
        fixture.expectEqual("/c")
        // The directory in which something was repaired is closed after a while.
        #expect(sooner <= 1, "\(sooner) wake-ups of its own")
    }

    /// Where they are too few for it, it asks for more.
    @Test func tooFewRegularIterations() {
        let fixture = fixture(directories: 300) {
            $0.auditInterval = 100 * AuditTests.second
            $0.auditEntries = 8
            $0.hasRegularIterations = true
        }
        #expect(fixture.watcher.nextDeadline == nil)
        fixture.kernel.advance(30 * AuditTests.second)
        fixture.rest()
        #expect(fixture.watcher.nextDeadline != nil)
        for _ in 0..<80 { fixture.wait(seconds: 15) }
        #expect(fixture.watcher.counters.auditPasses >= 1)
    }

    @Test func offMeansOff() {
        let fixture = fixture(directories: 5) { _ in }
        fixture.wait(seconds: 10)
        #expect(fixture.watcher.nextDeadline == nil)
        fixture.watcher.setAudit(interval: 60 * AuditTests.second, share: 0.01)
        fixture.rest()
        #expect(fixture.watcher.nextDeadline != nil)
        fixture.watcher.setAudit(interval: 0, share: 0.01)
        fixture.rest()
        #expect(fixture.watcher.nextDeadline == nil)
    }

    /// A move that no event has told of, into a directory that is seen before the one that it has left.
    @Test func aMoveWithoutEventKeepsTheIdentity() {
        let fixture = fixture(directories: 20) {
            $0.auditInterval = 60 * AuditTests.second
            $0.auditEntries = 1
        }
        let identity = fixture.tree.identity(at: "d19/f")
        fixture.tree.log = []
        fixture.kernel.quietly { fixture.kernel.move("/c/d19/f", "/c/d0/moved") }
        fixture.wait(seconds: 400)
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "d0/moved") == identity)
        #expect(!fixture.tree.log.contains { $0.hasPrefix("remove") || $0.hasPrefix("insert") })
    }

    /// However it is set, it does not trap, and the next iteration is asked for in time.
    @Test(
        arguments: [1, 1_000, second, 86_400 * 365 * 200 * second, .max] as [UInt64],
        [0, 1e-300, 1, 1e300, .nan, .infinity])
    func extremeSettings(interval: UInt64, share: Double) {
        let fixture = fixture(directories: 20) { _ in }
        fixture.watcher.setAudit(interval: interval, share: share)
        fixture.rest()
        for seconds in [1, 1_000_000, 1_000_000_000] as [UInt64] {
            fixture.kernel.advance(seconds * AuditTests.second)
            fixture.kernel.quietly { fixture.kernel.write("/c/d3/f", size: Int64(seconds)) }
            for _ in 0..<50 { _ = fixture.watcher.iterate() }
            #expect(fixture.watcher.nextDeadline != nil)
        }
    }

    /// A question waits for what events tell while a slice is being read, and not for the slice.
    @Test func noQuestionWaitsForIt() {
        let fixture = fixture(directories: 20) { $0.auditInterval = 60 * AuditTests.second }
        fixture.watcher.jobs.areRead = false
        fixture.kernel.advance(30 * AuditTests.second)
        fixture.rest()
        #expect(fixture.watcher.figures(of: 1).outstanding > 0)
        fixture.kernel.write("/c/d3/f", size: 7)
        fixture.kernel.create("/c/d4/n")
        let barrier = fixture.watcher.barrier()
        #expect(!fixture.watcher.isReached(barrier))
        fixture.rest()
        #expect(fixture.watcher.isReached(barrier))
        fixture.expectEqual("/c")
        fixture.watcher.jobs.areRead = true
        fixture.wait(seconds: 60)
        #expect(fixture.watcher.counters.auditRepairs == 0)
    }

    /// On the real file system: stores through mmap while the file is open, and a hard link outside.
    @Test func changesThatTheKernelDoesNotReportAreFound() throws {
        let (directory, outside) = (TemporaryDirectory(), TemporaryDirectory())
        directory.makeDirectory("d")
        directory.write("d/mapped", String(repeating: "x", count: 4_096))
        // Long ago: the clock of a file system may tick every four milliseconds only.
        let times = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
        directory.check(utimensat(AT_FDCWD, directory.url("d/mapped"), times, 0), "utimensat")
        directory.write("d/linked")
        directory.check(link(directory.url("d/linked"), outside.url("other")), "link")
        var settings = WatchSettings()
        settings.auditInterval = 50_000_000
        settings.auditPause = 5_000_000
        settings.auditShare = 1
        let fixture = try WatcherFixture(settings: settings)
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        fixture.watcher.setAudit(interval: 0, share: 1)
        expectEqual(fixture.tree, directory.path)

        let file = open(directory.url("d/mapped"), O_RDWR | O_CLOEXEC)
        defer { close(file) }
        let memory = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        defer { munmap(memory, 4_096) }
        memory?.storeBytes(of: 0x61, as: UInt8.self)
        msync(memory, 4_096, MS_SYNC)
        outside.append("other", "more")
        fixture.settle()
        let real = walk(directory.path)
        #expect(fixture.tree.contents(of: 1) != real)
        #expect(fixture.watcher.counters.auditRepairs == 0)

        fixture.watcher.setAudit(interval: 50_000_000, share: 1)
        fixture.iterate(until: { fixture.tree.contents(of: 1) == real && fixture.watcher.counters.auditPasses > 0 })
        #expect(fixture.watcher.counters.auditRepairs == 2)
    }
}
