// Random churn over a real tree; when it is quiet, the tree equals a fresh walk.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import TestSupport
import Testing

@Suite struct ChurnTests {
    /// More with `GATHER_CHURN_SEEDS`; another beginning with `GATHER_CHURN_FIRST_SEED`.
    static let seeds: [UInt64] = {
        let count = getenv("GATHER_CHURN_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 3
        let first = getenv("GATHER_CHURN_FIRST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
        return (0..<count).map { first + $0 }
    }()

    let directory = TemporaryDirectory()
    let outside = TemporaryDirectory()

    private func fixture(_ change: (inout WatchSettings) -> Void = { _ in }) throws -> WatcherFixture {
        var settings = WatchSettings()
        change(&settings)
        let fixture = try WatcherFixture(settings: settings)
        fixture.watcher.addContainer(1, path: directory.path)
        return fixture
    }

    /// After each few changes; the watcher has its iterations in between, or has not.
    @Test(arguments: seeds) func stepByStep(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 7919)
        var churn = Churn(seed: seed, root: directory.path, outside: outside.path)
        let fixture = try fixture { $0.openDirectoryLimit = 4 }
        var recent: [String] = []
        for round in 0..<60 {
            recent = []
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                let change = churn.step()
                recent.append(change)
                // A link whose name ends before it was looked at has no event.
                if change.hasPrefix("link") || change.hasPrefix("move in") { fixture.settle(change) }
                if Int.random(in: 0..<3, using: &random) == 0 { fixture.iterate() }
            }
            fixture.settle("seed \(seed) round \(round)")
            let context = "seed \(seed) round \(round): \(recent.joined(separator: ", "))"
            expectEqual(fixture.tree, directory.path, context)
            checkFigures(fixture, context)
            if fixture.tree.contents(of: 1) != walk(directory.path) { return }
        }
        #expect(fixture.watcher.counters.lookUpsAbandoned == 0, "seed \(seed)")
    }

    /// By another thread, with the watcher running, and from before the first crawl on.
    @Test(arguments: seeds) func concurrently(seed: UInt64) throws {
        var churn = Churn(seed: seed &+ 1_000_000, root: directory.path, outside: outside.path, names: 8)
        for _ in 0..<600 { _ = churn.step() }
        let fixture = try fixture()
        for round in 0..<6 {
            let isDone = Flag()
            let thread = TestThread { [churn] in
                var churn = churn
                for _ in 0..<300 { _ = churn.step() }
                isDone.set()
            }
            while !isDone.isSet { fixture.iterate() }
            thread.join()
            // The next round goes on from another place.
            for _ in 0..<round + 1 { _ = churn.step() }
            let context = "seed \(seed) round \(round)"
            fixture.settle(context)
            expectEqual(fixture.tree, directory.path, context, excusingLinks: true)
            checkFigures(fixture, context)
        }
    }

    /// With the queue overflowing in the middle.
    @Test(arguments: seeds) func throughOverflows(seed: UInt64) throws {
        var churn = Churn(seed: seed &+ 2_000_000, root: directory.path, outside: outside.path)
        let fixture = try fixture { $0.comparisonWindow = 3 }
        for _ in 0..<200 { _ = churn.step() }
        directory.write("x")
        directory.write("y")
        fixture.settle()
        for round in 0..<4 {
            for index in 0..<9_000 {
                directory.setMode("x", index % 2 == 0 ? 0o600 : 0o644)
                directory.setMode("y", index % 2 == 0 ? 0o600 : 0o644)
                if index % 100 == 0 { _ = churn.step() }
            }
            // And more while the comparison is under way.
            for _ in 0..<40 {
                _ = churn.step()
                fixture.iterate()
            }
            let context = "seed \(seed) round \(round)"
            fixture.settle(context)
            expectEqual(fixture.tree, directory.path, context, excusingLinks: true)
            checkFigures(fixture, context)
        }
        #expect(fixture.watcher.counters.overflows > 0)
    }

    private func checkFigures(_ fixture: WatcherFixture, _ context: String) {
        let directories = fixture.tree.contents(of: 1).values.filter { $0.kind == .directory }.count + 1
        let figures = fixture.watcher.figures(of: 1)
        #expect(figures.directories == directories, "\(context)")
        #expect(figures.watches == directories, "\(context)")
        #expect(figures.outstanding == 0, "\(context)")
        #expect(fixture.watcher.state(of: 1) == .live, "\(context)")
    }
}

/// Set once, by any thread.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// A thread of its own for a test: blocking calls do not belong on the test runner's.
final class TestThread {
    private var handle = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
    }

    func join() { pthread_join(handle, nil) }

    private final class Body: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
