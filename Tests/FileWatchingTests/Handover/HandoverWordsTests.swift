// The state for the next process is never ahead of what is known: looked at after each iteration.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import Synchronization
import Testing

@testable import FileWatching

struct HandoverWordsTests {
    /// A poll holds what it has found to its end, and the directory is watched long before that.
    @Test func `A directory that a poll has watched counts when the poll has ended`() throws {
        let handover = try HandoverMemory()
        handover.begin(run: 7, fingerprint: 2)
        // One directory at a time, so that many iterations lie between the first and the last.
        let fixture = PlayedFixture {
            $0.comparisonWindow = 1
            $0.watchShare = 1
        }
        fixture.watcher.beginHandover(in: handover)
        fixture.kernel.state.withLock { $0.watchLimit = 2 }
        fixture.kernel.create("/c", .directory)
        for number in 0..<8 {
            fixture.kernel.create("/c/d\(number)", .directory)
            fixture.kernel.create("/c/d\(number)/f")
        }
        fixture.watcher.addContainer(1, path: "/c", key: 5)
        fixture.wait(seconds: 1)
        save(fixture)

        let inodes = fixture.kernel.state.withLock { state in
            let children = state.inodes[1]?.children["c"].flatMap { state.inodes[$0]?.children } ?? [:]
            return (0..<8).map { children["d\($0)"] ?? 0 }
        }
        #expect(!inodes.contains(0))
        // Nothing tells of these.
        for number in 0..<8 { fixture.kernel.create("/c/d\(number)/new") }
        fixture.kernel.state.withLock { $0.watchLimit = 100 }
        var (words, isKnown) = (0, false)
        for _ in 0..<2_000 where !isKnown {
            if !fixture.watcher.iterate(), let deadline = fixture.watcher.nextDeadline {
                fixture.kernel.state.withLock { $0.now = max($0.now, deadline) }
            }
            save(fixture)
            guard let start = try? handover.start(run: 7, sequence: 1, fingerprint: 2), start.state.names.isEmpty,
                start.containers[5]?.flags.contains(.exact) == true
            else { continue }
            words += 1
            // Complete directories are not read again.
            let complete = Set(start.entries.all.filter { $0.isComplete && $0.key == 5 }.map(\.inode))
            let known = fixture.tree.contents(of: 1)
            for (number, inode) in inodes.enumerated() where complete.contains(inode) {
                let isThere = known[Array("d\(number)/new".utf8)] != nil
                #expect(isThere, "d\(number) counts as known, by word \(words)")
                if !isThere { return }
            }
            isKnown = complete.count == 9
        }
        #expect(fixture.tree.contents(of: 1) == fixture.kernel.contents(below: "/c"))
        #expect(isKnown, "it never comes that far: \(words) words, \(fixture.watcher.unfinished)")
    }

    /// While changes cannot be saved nothing is told, former words are gone: else the next process would take the end of a journal
    /// that lacks them for the whole. Afterwards all is told again.
    @Test func `Withdrawn state is told again when it can be saved`() throws {
        let handover = try HandoverMemory()
        handover.begin(run: 7, fingerprint: 2)
        let fixture = PlayedFixture()
        fixture.watcher.beginHandover(in: handover)
        for path in ["/c", "/c/d", "/c/e"] { fixture.kernel.create(path, .directory) }
        fixture.watcher.addContainer(1, path: "/c", key: 5)
        fixture.wait(seconds: 1)
        save(fixture)
        #expect(try handover.start(run: 7, sequence: 1, fingerprint: 2).entries.all.count == 3)
        fixture.watcher.withdrawHandover()
        #expect(throws: HandoverObstacle.otherMoment) { try handover.start(run: 7, sequence: 1, fingerprint: 2) }
        fixture.kernel.create("/c/new", .directory)
        fixture.wait(seconds: 1)
        fixture.watcher.withdrawHandover()
        #expect(throws: HandoverObstacle.otherMoment) { try handover.start(run: 7, sequence: 1, fingerprint: 2) }
        save(fixture)
        let start = try handover.start(run: 7, sequence: 1, fingerprint: 2)
        #expect(start.containers[5]?.flags.contains(.exact) == true)
        #expect(start.containers[5]?.count == 4)
        #expect(start.entries.all.count { $0.isComplete } == 4)
    }

    /// Two directories have two watches: where one is said of both, somebody else has written it, and one would be deaf.
    @Test func `A watch that two directories are said to have is not believed`() throws {
        let handover = try HandoverMemory()
        handover.begin(run: 7, fingerprint: 2)
        handover.set(mounts: [Mount(number: 1, path: Array("/".utf8))])
        handover.set(IterationState(), sequence: 1)
        handover.set(5, to: .exact)
        for slot in 0..<3 {
            let watch = Int32(slot + 1)
            #expect(handover.set(slot, to: entry(watch: watch, inode: 10 + UInt64(slot))))
        }
        #expect(try handover.start(run: 7, sequence: 1, fingerprint: 2).entries.all.count == 3)
        #expect(handover.set(3, to: entry(watch: 2, inode: 20)))
        #expect(throws: HandoverObstacle.sharedWatch) { try handover.start(run: 7, sequence: 1, fingerprint: 2) }
    }

    /// One file makes way for another before it is heard to where, and the process ends: its row waits under the name that the
    /// other's had. The next process hears all of it again, and takes the row along.
    @Test func `A file that has left is known again though its row has got another name since`() throws {
        let handover = try HandoverMemory()
        handover.begin(run: 7, fingerprint: 2)
        let fixture = PlayedFixture()
        let kernel = fixture.kernel
        fixture.watcher.beginHandover(in: handover)
        kernel.create("/c", .directory)
        for name in ["a", "b"] { kernel.create("/c/" + name) }
        fixture.watcher.addContainer(1, path: "/c", key: 5)
        fixture.wait(seconds: 1)
        save(fixture)
        try #require(fixture.watcher.position == handover.ring.tail)
        let rows = try ["a", "b"].map { try #require(fixture.tree.node(at: $0)) }

        kernel.move("/c/b", "/c/c")
        kernel.interrupt()
        kernel.move("/c/a", "/c/b")
        let stream = kernel.state.withLock { $0.queue }
        #expect(stream.count == 3)
        fixture.rest()
        save(fixture)
        #expect(fixture.tree.node(at: "b") == rows[0])
        let start = try handover.start(run: 7, sequence: 1, fingerprint: 2)
        fixture.watcher.close()

        kernel.state.withLock { $0.queue = stream }
        let next = PlayedFixture(kernel: kernel, tree: fixture.tree)
        next.watcher.beginHandover(in: handover)
        next.watcher.resume(from: start)
        next.watcher.addContainer(1, path: "/c", isKnown: true, key: 5)
        #expect(next.watcher.replayEvents())
        #expect(next.watcher.state(of: 1) == .live)
        next.rest()
        // The `IN_MOVED_TO` is queued when its directory is waited for.
        next.wait(seconds: 5)
        next.expectEqual("/c")
        #expect(next.tree.node(at: "b") == rows[0])
        #expect(next.tree.node(at: "c") == rows[1])
    }

    private func entry(watch: Int32, inode: UInt64) -> HandoverEntry {
        HandoverEntry(watch: watch, depth: 1, isComplete: true, device: 1, inode: inode, key: 5)
    }

    /// As if the tree were saved; events that are played were read all the same.
    private func save(_ fixture: PlayedFixture) {
        guard let handover = fixture.watcher.handover?.memory else { return }
        handover.ring.noteRead(Int(fixture.watcher.position - handover.ring.head))
        fixture.watcher.settleHandover(sequence: 1)
        // The played system has no mounts, which is as good as a table that cannot be read.
        handover.set(mounts: [Mount(number: 1, path: Array("/".utf8))])
    }
}
