// A directory with more entries than one turn takes: others are told between its parts, and it is exact in the end.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct LargeDirectoryTests {
    private static let slice = 50
    private static let entries = 1_000

    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture { $0.directorySlice = LargeDirectoryTests.slice }
        fixture.kernel.create("/c", .directory)
        fixture.kernel.create("/outside", .directory)
        fixture.kernel.create("/outside/large", .directory)
        for index in 0..<LargeDirectoryTests.entries {
            fixture.kernel.create("/outside/large/f\(index)", index % 50 == 0 ? .directory : .file)
        }
        fixture.kernel.create("/c/other")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        return fixture
    }

    /// Turns until the directory has been taken, with a change beside it before each: that is told in the same turn,
    /// and the turn looks at no more than a slice and what the change takes. Returns how many turns it took.
    private func turnsUntilRead(_ fixture: PlayedFixture, _ meanwhile: (Int) -> Void) -> Int {
        var turns = 0
        var searches = 0
        fixture.kernel.state.withLock { $0.readable = nil }
        while fixture.watcher.figures(of: 1).outstanding > 0, turns < 500 {
            fixture.kernel.write("/c/other", size: Int64(turns + 1))
            meanwhile(turns)
            fixture.tree.log = []
            let before = fixture.tree.childSearches
            _ = fixture.watcher.turn()
            _ = fixture.watcher.takeNotices()
            searches = max(searches, fixture.tree.childSearches - before)
            #expect(fixture.tree.log.contains("update other"), "turn \(turns)")
            turns += 1
            // Files that change all the time would be told later.
            fixture.kernel.advance(100_000_000)
        }
        #expect(searches <= 6 * LargeDirectoryTests.slice, "\(searches) searches in one turn")
        return turns
    }

    @Test func itIsCrawledInParts() {
        let fixture = fixture()
        fixture.kernel.move("/outside/large", "/c/large")
        fixture.watcher.performsJobs = false
        fixture.rest()
        fixture.watcher.performsJobs = true
        var most = 0
        let turns = turnsUntilRead(fixture) { turn in
            most = max(most, fixture.tree.log.filter { $0.hasPrefix("crawl") }.count)
            // Changes in it meanwhile: to entries that were taken, and to others.
            let written = "/c/large/f\(turn * 7 + 1)"
            if fixture.kernel.kind(written) != nil { fixture.kernel.write(written, size: 9) }
            let chosen = "/c/large/f\(turn * 31 % 1_000)"
            guard fixture.kernel.kind(chosen) == .file else { return }
            switch turn % 4 {
            case 0: fixture.kernel.remove(chosen)
            case 1: fixture.kernel.move(chosen, "/c/large/new\(turn)")
            case 2: fixture.kernel.create("/c/large/made\(turn)")
            default: fixture.kernel.move(chosen, "/c/moved\(turn)")
            }
        }
        #expect(turns >= LargeDirectoryTests.entries / LargeDirectoryTests.slice)
        #expect(most <= LargeDirectoryTests.slice)
        fixture.rest()
        fixture.wait(seconds: 1)
        fixture.expectEqual("/c")
    }

    @Test func itIsComparedInParts() {
        let fixture = fixture()
        fixture.kernel.move("/outside/large", "/c/large")
        fixture.rest()
        fixture.expectEqual("/c")
        fixture.kernel.quietly {
            for index in 0..<LargeDirectoryTests.entries {
                switch index % 5 {
                case 0: fixture.kernel.remove("/c/large/f\(index)")
                case 1: fixture.kernel.create("/c/large/n\(index)")
                case 2: fixture.kernel.write("/c/large/f\(index)", size: 3)
                default: break
                }
            }
        }
        let names = (0..<200).map { "/c/large/f\($0 * 5 + 3)" }
        let kept = fixture.tree.identity(at: "large/f3")
        var counts: ComparisonCounts?
        fixture.watcher.performsJobs = false
        fixture.watcher.rescan(1) { counts = $0 }
        _ = fixture.watcher.turn()
        fixture.watcher.performsJobs = true
        let turns = turnsUntilRead(fixture) { turn in
            if turn % 4 == 1 { fixture.kernel.remove(names[turn * 3 + 1]) }
            if turn % 4 == 2 { fixture.kernel.move(names[turn * 3 + 1], "/c/large/new\(turn)") }
            if turn % 4 == 3 { fixture.kernel.create("/c/large/made\(turn)") }
        }
        #expect(turns > LargeDirectoryTests.entries / LargeDirectoryTests.slice)
        fixture.rest()
        fixture.wait(seconds: 5)
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "large/f3") == kept)
        #expect(counts != nil)
    }

    /// The directory goes, or moves, between two parts.
    @Test(arguments: [true, false]) func itGoesMeanwhile(isRead: Bool) {
        for step in 1..<24 {
            let fixture = fixture()
            fixture.kernel.move("/outside/large", "/c/large")
            if isRead {
                fixture.rest()
                fixture.watcher.rescan(1) { _ in }
            }
            fixture.kernel.state.withLock { $0.readable = nil }
            for _ in 0..<step { _ = fixture.watcher.turn() }
            if step % 2 == 0 {
                fixture.kernel.move("/c/large", "/outside/large")
                fixture.kernel.create("/c/large", .directory)
                fixture.kernel.create("/c/large/f3")
            } else {
                fixture.kernel.create("/c/d", .directory)
                fixture.kernel.move("/c/large", "/c/d/large")
                fixture.kernel.write("/c/d/large/f1", size: 1)
            }
            fixture.rest()
            fixture.wait(seconds: 5)
            fixture.expectEqual("/c", "after \(step) turns")
        }
    }
}
