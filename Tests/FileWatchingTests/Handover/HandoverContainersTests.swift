// More containers than the memory that outlives the process has places for.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Testing

@Suite struct HandoverContainersTests {
    let directory = TemporaryDirectory()
    private static let numbers = 1...UInt32(HandoverMemory.containerCapacity + 3)

    private func path(_ number: UInt32) -> String { directory.url("c\(number)") }

    /// Watches all of them, what is left of a process before going first.
    private func watch(
        _ handover: HandoverMemory, _ start: HandoverStart? = nil, tree: DictionaryTree? = nil, inotify: CInt? = nil
    ) throws -> WatcherFixture {
        handover.begin(run: 7, fingerprint: 2)
        let numbers = Self.numbers
        let fixture = try WatcherFixture(containers: Array(numbers), tree: tree, inotify: inotify, handover: handover)
        if let start { fixture.watcher.resume(from: start) }
        for number in numbers {
            fixture.watcher.addContainer(
                number, path: path(number), isKnown: tree != nil, key: UInt64(number) + 100)
        }
        if start != nil { fixture.watcher.replayEvents() }
        return fixture
    }

    private func expectAllEqual(_ fixture: WatcherFixture, _ context: String) {
        fixture.iterate(until: { Self.numbers.allSatisfy { fixture.watcher.state(of: $0) == .live } }, context)
        fixture.settle(context)
        var known: [UInt32: Int] = [:]
        for node in fixture.tree.entries.keys { known[node.container, default: 0] += 1 }
        #expect(Self.numbers.allSatisfy { known[$0] == walk(path($0)).count + 1 }, "\(context)")
        for number in [1, 2, 3, Self.numbers.upperBound] {
            expectEqual(fixture.tree, path(number), container: number, context)
        }
        #expect(Self.numbers.allSatisfy { fixture.watcher.figures(of: $0).watches == 1 }, "\(context)")
    }

    @Test func `Those that have no place are compared by the next process`() throws {
        for number in Self.numbers {
            directory.makeDirectory("c\(number)")
            directory.write("c\(number)/f")
        }
        var handover = try HandoverMemory()
        var fixture = try watch(handover)
        expectAllEqual(fixture, "at first")
        fixture.iterate()
        for round in 1...2 {
            let (tree, inotify, memory) = (
                fixture.tree, fcntl(fixture.kernel.descriptor, F_DUPFD_CLOEXEC, 3),
                fcntl(handover.descriptor, F_DUPFD_CLOEXEC, 3)
            )
            fixture.watcher.close()
            // In all, whichever of them have places: a change, and one that undoes what the last round did.
            for number in Self.numbers {
                directory.write("c\(number)/new\(round)")
                if round > 1 { directory.remove("c\(number)/new\(round - 1)") }
            }
            handover = try HandoverMemory(adopting: Descriptor(owning: memory))
            let start = try handover.start(run: 7, sequence: 1, fingerprint: 2)
            fixture = try watch(handover, start, tree: tree, inotify: inotify)
            let handover = Self.numbers.count { fixture.watcher.state(of: $0) == .live }
            #expect(handover == HandoverMemory.containerCapacity, "round \(round)")
            expectAllEqual(fixture, "round \(round)")
            // The kernel's watches are those that are known.
            let found = try #require(fixture.kernel.watches())
            fixture.watcher.check(watches: found, of: fixture.watcher.resumedWatches)
            fixture.iterate()
            fixture.settle("check")
            #expect(
                fixture.notices.contains(.watchesChecked(missing: 0, of: HandoverMemory.containerCapacity)),
                "round \(round)")
            expectAllEqual(fixture, "after the check")
        }
        // Removing one of them works as usual.
        let gone = try #require(Self.numbers.first)
        fixture.watcher.removeContainer(gone)
        fixture.settle()
        fixture.iterate()
        #expect(fixture.kernel.watches()?.count == fixture.watcher.watchCount)
    }
}
