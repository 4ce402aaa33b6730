// Limits that are gone past: forgotten facts are found out again, and nothing goes on for ever.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct LeastLimitTests {
    /// The limits that are lowered, one alone and all of them.
    enum Lowered: String, CaseIterable, CustomTestStringConvertible {
        case lookUpAttempts, heldNames, goneWatches, soughtLinks, leastProvisional, comparisonRestarts,
            comparisonWidenings
        case eventsAhead, lookUpsAhead, readsAstray, all

        var testDescription: String { rawValue }

        var limits: WatchLimits {
            var limits = WatchLimits()
            func isWanted(_ limit: Lowered) -> Bool { self == limit || self == .all }
            if isWanted(.lookUpAttempts) { limits.lookUpAttempts = 1 }
            if isWanted(.heldNames) { limits.heldNames = 0 }
            if isWanted(.goneWatches) { limits.goneWatches = 0 }
            if isWanted(.soughtLinks) { limits.soughtLinks = 0 }
            if isWanted(.leastProvisional) { limits.leastProvisional = 0 }
            if isWanted(.comparisonRestarts) { limits.comparisonRestarts = 0 }
            if isWanted(.comparisonWidenings) { limits.comparisonWidenings = 0 }
            if isWanted(.eventsAhead) { limits.eventsAhead = 1 }
            if isWanted(.lookUpsAhead) { limits.lookUpsAhead = 1 }
            if isWanted(.readsAstray) { limits.readsAstray = 2 }
            return limits
        }
    }

    /// Eleven limits with as many seeds as others have would be minutes under a sanitizer.
    private static let seeds = RandomScenario.seeds.prefix(max(RandomScenario.seeds.count / 6, 1))

    @Test(arguments: Lowered.allCases, seeds)
    func `Random changes are told whatever limit is gone past`(lowered: Lowered, seed: UInt64) {
        RandomScenario(seed: seed, limits: lowered.limits).play()
    }

    /// Nothing more is read while so much waits, and the kernel loses what its queue does not take.
    @Test func `Look-ups that pile up leave the rest to the queue, and to its overflow`() {
        let fixture = PlayedFixture {
            $0.iterationBudget = 0
            $0.limits.lookUpsAhead = 100
        }
        fixture.kernel.create("/c", .directory)
        for number in 0..<400 { fixture.kernel.create("/c/f\(number)") }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        for number in 0..<400 { fixture.kernel.write("/c/f\(number)", size: 1) }
        _ = fixture.watcher.iterate()
        #expect(fixture.watcher.isPausing && fixture.watcher.waitingLookUps > 100)
        for number in 0..<50 { fixture.kernel.write("/c/f\(number)", size: 2) }
        _ = fixture.watcher.iterate()
        #expect(fixture.kernel.state.withLock { $0.queue.count } == 50)
        fixture.kernel.create("/c/lost")
        fixture.kernel.overflow(after: 50)
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.watcher.counters.overflows == 1 && fixture.watcher.waitingLookUps == 0)
        fixture.wait(seconds: 2)
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    /// An event of an exchange is told from a rename by what follows, and by where the files are where that is too far away.
    @Test(arguments: [1_000, 1_100]) func `An exchange in the midst of many events is one`(between: Int) throws {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/d"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/a", "/c/b", "/c/d/f"] { fixture.kernel.create(name) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        let (first, second) = (fixture.tree.identity(at: "a"), fixture.tree.identity(at: "b"))
        fixture.kernel.exchange("/c/a", "/c/b")
        // Events of other programs come between the two pairs.
        fixture.kernel.state.withLock { state in
            let pair = state.queue.suffix(2)
            state.queue.removeLast(2)
            guard let directory = state.inodes[1]?.children["c"].flatMap({ state.inodes[$0]?.children["d"] }),
                let watch = state.inodes[directory]?.watch
            else { return }
            for number in 0..<between {
                state.queue.append(.init(watch: watch, mask: number % 2 == 0 ? .modify : .closeWrite, name: "f"))
            }
            state.queue += pair
        }
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "a") == second && fixture.tree.identity(at: "b") == first)
    }

    /// While the number of a directory does not stay no look-up finds it: it is given up, and all is found when it does. One that
    /// never does: `UnstableDirectoryTests`.
    @Test(arguments: [1, 5, 10]) func `A directory that has another number each time is found when it keeps one`(
        looks: Int
    ) throws {
        let fixture = PlayedFixture { $0.limits.lookUpAttempts = 2 }
        for name in ["/c", "/c/d", "/c/d/e"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/f", "/c/d/g", "/c/d/e/h"] { fixture.kernel.create(name) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 5)
        let directory = try #require(fixture.kernel.inode("/c/d"))
        fixture.kernel.state.withLock { ($0.unstableInode, $0.unstableLooks) = (directory, looks) }
        fixture.kernel.write("/c/d/g", size: 7)
        fixture.kernel.write("/c/f", size: 7)
        let barrier = fixture.watcher.barrier()
        for _ in 0..<2_000 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier), "\(fixture.watcher.unfinished)")
        fixture.expectEqual("/c", "at the barrier")
        fixture.wait(seconds: 10)
        fixture.expectEqual("/c")
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func `A directory has a limit of bytes of extended attributes, and the container says that there are more`()
        throws
    {
        let fixture = PlayedFixture { $0.limits.extraBytesOfDirectory = 1_000 }
        fixture.kernel.create("/c", .directory)
        for number in 0..<40 {
            fixture.kernel.create("/c/f\(number)")
            let value = String(repeating: "x", count: 50) + "\(number)"
            fixture.kernel.setXattrs("/c/f\(number)", ["xdg.comment": value])
        }
        fixture.watcher.addContainer(1, path: "/c", readsXattrs: true)
        fixture.rest()
        fixture.expectEqual("/c")
        func known() throws -> Int {
            try (0..<40).count { try fixture.tree.entry(#require(fixture.tree.node(at: "f\($0)"))).xattrs != nil }
        }
        let count = try known()
        #expect(count > 5 && count < 20)
        guard case .degraded = fixture.watcher.state(of: 1) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 1)))")
            return
        }
        // A file with an event is looked at for itself.
        for number in 0..<40 { fixture.kernel.setXattrs("/c/f\(number)", ["xdg.comment": "\(number)"]) }
        fixture.rest()
        #expect(try known() == 40)
        fixture.wait(seconds: 61)
        #expect(fixture.watcher.state(of: 1) == .live)
    }
}
