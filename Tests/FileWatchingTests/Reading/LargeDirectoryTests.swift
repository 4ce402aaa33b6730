// A directory with more entries than one iteration takes: others are told between its parts, and it is exact in the end.
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

    /// Iterates until the directory has been taken, with a change beside it before each: that is told in the same iteration,
    /// and the iteration looks at no more than a slice and what the change takes. Returns how many iterations it took.
    private func iterationsUntilRead(_ fixture: PlayedFixture, _ meanwhile: (Int) -> Void) -> Int {
        var iterations = 0
        var searches = 0
        fixture.kernel.state.withLock { $0.readable = nil }
        while fixture.watcher.figures(of: 1).outstanding > 0, iterations < 500 {
            fixture.kernel.write("/c/other", size: Int64(iterations + 1))
            meanwhile(iterations)
            fixture.tree.log = []
            let before = fixture.tree.childSearches
            _ = fixture.watcher.iterate()
            _ = fixture.watcher.takeNotices()
            searches = max(searches, fixture.tree.childSearches - before)
            #expect(fixture.tree.log.contains("update other"), "iteration \(iterations)")
            iterations += 1
            // Files that change all the time would be told later.
            fixture.kernel.advance(100_000_000)
        }
        #expect(searches <= 6 * LargeDirectoryTests.slice, "\(searches) searches in one iteration")
        return iterations
    }

    @Test func itIsCrawledInParts() {
        let fixture = fixture()
        fixture.kernel.move("/outside/large", "/c/large")
        fixture.watcher.jobs.areRead = false
        fixture.rest()
        fixture.watcher.jobs.areRead = true
        var most = 0
        let iterations = iterationsUntilRead(fixture) { number in
            most = max(most, fixture.tree.log.filter { $0.hasPrefix("crawl") }.count)
            // Changes in it meanwhile: to entries that were taken, and to others.
            let written = "/c/large/f\(number * 7 + 1)"
            if fixture.kernel.kind(written) != nil { fixture.kernel.write(written, size: 9) }
            let chosen = "/c/large/f\(number * 31 % 1_000)"
            guard fixture.kernel.kind(chosen) == .file else { return }
            switch number % 4 {
            case 0: fixture.kernel.remove(chosen)
            case 1: fixture.kernel.move(chosen, "/c/large/new\(number)")
            case 2: fixture.kernel.create("/c/large/made\(number)")
            default: fixture.kernel.move(chosen, "/c/moved\(number)")
            }
        }
        #expect(iterations >= LargeDirectoryTests.entries / LargeDirectoryTests.slice)
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
        fixture.watcher.jobs.areRead = false
        fixture.watcher.rescan(1) { counts = $0 }
        _ = fixture.watcher.iterate()
        fixture.watcher.jobs.areRead = true
        let iterations = iterationsUntilRead(fixture) { number in
            if number % 4 == 1 { fixture.kernel.remove(names[number * 3 + 1]) }
            if number % 4 == 2 { fixture.kernel.move(names[number * 3 + 1], "/c/large/new\(number)") }
            if number % 4 == 3 { fixture.kernel.create("/c/large/made\(number)") }
        }
        #expect(iterations > LargeDirectoryTests.entries / LargeDirectoryTests.slice)
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
            for _ in 0..<step { _ = fixture.watcher.iterate() }
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
            fixture.expectEqual("/c", "after \(step) iterations")
        }
    }
}
