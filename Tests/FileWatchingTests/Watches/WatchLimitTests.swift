// Too few watches: the directories that get them, and the state of the others.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import TestSupport
import Testing

@Suite struct WatchLimitTests {
    /// Directories at random below `/c`; their paths.
    private func makeTree(_ fixture: PlayedFixture, _ count: Int, _ random: inout SeededGenerator) -> [String] {
        fixture.kernel.create("/c", .directory)
        var paths = ["/c"]
        for number in 1..<count {
            let parent = paths.randomElement(using: &random)!
            paths.append("\(parent)/d\(number)")
            fixture.kernel.create(paths.last!, .directory)
            fixture.kernel.create(paths.last! + "/f")
        }
        return paths
    }

    /// The nearest to the root are watched: no directory without a watch is nearer than one that has one.
    private func expectNearest(
        _ fixture: PlayedFixture, watched: Int, _ context: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let directories = fixture.directories(below: "/c")
        #expect(fixture.watcher.watchCount == watched + above, "\(context)", sourceLocation: sourceLocation)
        let deepest = directories.filter(\.isWatched).map(\.depth).max() ?? -1
        let nearest = directories.filter { !$0.isWatched }.map(\.depth).min() ?? .max
        #expect(deepest <= nearest, "\(context): \(directories)", sourceLocation: sourceLocation)
        #expect(directories.filter(\.isWatched).count == watched, "\(context)", sourceLocation: sourceLocation)
        let figures = fixture.watcher.figures(of: 1)
        #expect(figures.watches == watched, "\(context)", sourceLocation: sourceLocation)
        #expect(figures.polled == directories.count - watched, "\(context)", sourceLocation: sourceLocation)
    }

    /// Watches on `/`, above the container.
    private let above = 1

    /// With the first seed a directory that is gone, which only a poll finds out, is to have a watch.
    @Test(arguments: [3_246_429_355] + ChurnTests.seeds, [true, false]) func nearestFirst(seed: UInt64, isShare: Bool) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<20 {
            let context = "seed \(seed) round \(round)"
            let limit = Int.random(in: 3...30, using: &random)
            let fixture = PlayedFixture { if isShare { $0.watchShare = 0.5 } }
            fixture.kernel.state.withLock {
                if isShare { $0.userWatchLimit = limit * 2 } else { $0.watchLimit = limit }
            }
            let paths = makeTree(fixture, 40, &random)
            fixture.watcher.addContainer(1, path: "/c")
            fixture.wait(seconds: 120)
            fixture.expectEqual("/c", context)
            expectNearest(fixture, watched: limit - above, context)
            #expect(fixture.kernel.state.withLock { $0.mostWatches } <= limit, "\(context)")
            guard case .degraded(let reason) = fixture.watcher.state(of: 1) else {
                Issue.record("\(context): \(String(describing: fixture.watcher.state(of: 1)))")
                return
            }
            #expect(reason.hasPrefix("\(40 - limit + above) of 40 directories are polled: "), "\(reason)")
            #expect(reason.contains(isShare ? "watch-share" : "no inotify watches are left"), "\(reason)")
            // Directories that cannot be watched are polled, and new ones nearer to the root are watched.
            for path in paths.dropFirst() { fixture.kernel.write(path + "/f", size: 7) }
            fixture.kernel.create("/c/new", .directory)
            fixture.kernel.create("/c/new/f")
            fixture.wait(seconds: 120)
            fixture.expectEqual("/c", context)
            expectNearest(fixture, watched: limit - above, context)
            // Some go, so others get what they had.
            let leaves = paths.filter { path in !paths.contains { $0.hasPrefix(path + "/") } }
            for leaf in leaves.shuffled(using: &random).prefix(5) {
                fixture.kernel.remove(leaf + "/f")
                fixture.kernel.remove(leaf)
            }
            fixture.wait(seconds: 120)
            fixture.expectEqual("/c", context)
            let left = fixture.directories(below: "/c").count
            expectNearest(fixture, watched: min(limit - above, left), context)
            #expect(fixture.kernel.state.withLock { $0.mostWatches } <= limit, "\(context)")
            // And there are enough.
            fixture.kernel.state.withLock {
                $0.watchLimit = 1_000
                $0.userWatchLimit = 2_000
            }
            fixture.wait(seconds: 120)
            #expect(fixture.watcher.state(of: 1) == .live, "\(context)")
            expectNearest(fixture, watched: left, context)
            #expect(fixture.notices.contains(.watchLimitOver(container: 1)), "\(context)")
            for path in fixture.tree.contents(of: 1).filter({ $0.value.kind == .file }).keys {
                fixture.kernel.write("/c/" + String(decoding: path, as: UTF8.self), size: 9)
            }
            fixture.wait(seconds: 5)
            fixture.expectEqual("/c", context)
            #expect(fixture.watcher.nextDeadline == nil, "\(context)")
        }
    }

    @Test func theShareIsLoweredAndRaised() {
        var random = SeededGenerator(seed: 1)
        let fixture = PlayedFixture()
        fixture.kernel.state.withLock { $0.userWatchLimit = 100 }
        _ = makeTree(fixture, 40, &random)
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 10)
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.watcher.set(pollInterval: 30_000_000_000, watchShare: 0.1)
        fixture.kernel.create("/c/late", .directory)
        fixture.wait(seconds: 10)
        expectNearest(fixture, watched: 10 - above, "lowered")
        #expect(fixture.kernel.state.withLock { $0.watches.count } == 10)
        fixture.watcher.set(pollInterval: 30_000_000_000, watchShare: 0.9)
        fixture.wait(seconds: 10)
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func oneContainerIsDegradedAndTheOtherIsExact() {
        let fixture = PlayedFixture(containers: [1, 2])
        for container in ["/c", "/other"] {
            fixture.kernel.create(container, .directory)
            for name in ["a", "b", "c"] { fixture.kernel.create("\(container)/\(name)", .directory) }
        }
        fixture.watcher.addContainer(2, path: "/other")
        fixture.rest()
        fixture.kernel.state.withLock { $0.watchLimit = 6 }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 100)
        #expect(fixture.watcher.state(of: 2) == .live)
        #expect(fixture.watcher.figures(of: 2).watches == 4)
        #expect(fixture.watcher.figures(of: 1).watches == 1)
        guard case .degraded = fixture.watcher.state(of: 1) else {
            Issue.record("\(String(describing: fixture.watcher.state(of: 1)))")
            return
        }
        fixture.watcher.removeContainer(2)
        fixture.wait(seconds: 100)
        #expect(fixture.watcher.state(of: 1) == .live)
    }

    @Test func aFileSystemWithoutEvents() {
        let fixture = PlayedFixture()
        fixture.kernel.state.withLock { $0.fileSystemType = FileSystemType(rawValue: 0x6969) }
        fixture.kernel.create("/c", .directory)
        fixture.kernel.create("/c/d", .directory)
        fixture.kernel.create("/c/d/f")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        #expect(
            fixture.watcher.state(of: 1)
                == .degraded(
                    reason: "all 2 directories are polled: nfs does not report changes that are made elsewhere"))
        #expect(fixture.notices.contains(.polledFileSystem(container: 1, name: "nfs")))
        // On another machine.
        fixture.kernel.write("/c/d/f", size: 5)
        fixture.kernel.create("/c/d/g")
        fixture.kernel.state.withLock { $0.queue = [] }
        fixture.rest()
        #expect(fixture.tree.contents(of: 1) != fixture.kernel.contents(below: "/c"))
        fixture.wait(seconds: 31)
        fixture.expectEqual("/c")
        // On this one.
        fixture.kernel.write("/c/d/f", size: 6)
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// As long as everything is watched, nothing wakes the watcher.
    @Test func idle() {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        fixture.kernel.create("/c/d", .directory)
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 10)
        #expect(fixture.watcher.nextDeadline == nil)
    }

    /// More directories than the kernel's queue takes events; nil where that is more than this machine should be asked for.
    private static let many: Int? = {
        guard let kernel = try? LinuxKernel() else { return nil }
        let count = kernel.queueLimit + 1_000
        return count < 100_000 && count < (kernel.userWatchLimit() ?? .max) / 4 ? count : nil
    }()

    /// The same with the kernel's own queue.
    @Test(.enabled(if: many != nil, "there are four times as many watches as the queue takes events"))
    func removingAContainerOfManyDirectoriesDoesNotOverflow() throws {
        let fixture = try WatcherFixture()
        let count = try #require(Self.many)
        let directory = TemporaryDirectory()
        for number in 0..<count { directory.makeDirectory("\(number)") }
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        #expect(fixture.watcher.figures(of: 1).watches == count + 1)
        fixture.watcher.removeContainer(1)
        fixture.iterate(until: { fixture.watcher.watchCount == 0 })
        fixture.settle()
        #expect(fixture.watcher.counters.overflows == 0)
    }

    /// Ending a watch queues an event: a container of many directories must not fill the queue when it goes.
    @Test func removingManyWatchesDoesNotOverflow() throws {
        let fixture = PlayedFixture()
        fixture.kernel.state.withLock { $0.limit = 16 }
        fixture.kernel.create("/c", .directory)
        for number in 0..<100 { fixture.kernel.create("/c/d\(number)", .directory) }
        fixture.kernel.state.withLock { $0.queue = [] }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.watcher.removeContainer(1)
        var most = 0
        for _ in 0..<1_000 where fixture.watcher.iterate() || fixture.watcher.watchCount > 0 {
            most = max(most, fixture.kernel.state.withLock { $0.queue.count })
        }
        #expect(fixture.kernel.state.withLock { $0.watches.isEmpty })
        #expect(fixture.watcher.watchCount == 0)
        #expect(most > 0 && most <= 16)
    }

    /// A change that is queued when its directory gives up its watch is told, before a question that came after it.
    @Test func eventsQueuedForAWatchThatIsGivenUp() {
        let fixture = PlayedFixture()
        fixture.kernel.state.withLock { $0.userWatchLimit = 100 }
        fixture.kernel.create("/c", .directory)
        for index in 0..<10 {
            fixture.kernel.create("/c/d\(index)", .directory)
            fixture.kernel.create("/c/d\(index)/f")
        }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.kernel.state.withLock { $0.userWatchLimit = 5 }
        fixture.watcher.set(pollInterval: 30_000_000_000, watchShare: 1)
        fixture.kernel.state.withLock { $0.readable = 0 }
        for index in 0..<10 { fixture.kernel.write("/c/d\(index)/f", size: 7) }
        let barrier = fixture.watcher.barrier()
        fixture.kernel.advance(2_000_000_000)
        _ = fixture.watcher.iterate()
        fixture.kernel.state.withLock { $0.readable = nil }
        for _ in 0..<1_000 where !fixture.watcher.isReached(barrier) { _ = fixture.watcher.iterate() }
        #expect(fixture.watcher.isReached(barrier))
        fixture.expectEqual("/c")
        fixture.wait(seconds: 3)
        #expect(fixture.watcher.figures(of: 1).watches < 5)
    }
}
