// What the next process is told is never ahead of what is known: looked at after each turn.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import Synchronization
import Testing

@testable import FileWatching

struct KeptWordsTests {
    /// A poll holds what it has found to its end, and the directory is watched long before that.
    @Test func `A directory that a poll has watched counts when the poll has ended`() throws {
        let kept = try KeptMemory()
        kept.begin(run: 7, fingerprint: 2)
        // One directory at a time, so that many turns lie between the first and the last.
        let fixture = PlayedFixture {
            $0.comparisonWindow = 1
            $0.watchShare = 1
        }
        fixture.watcher.keep(in: kept)
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
            if !fixture.watcher.turn(), let deadline = fixture.watcher.nextDeadline {
                fixture.kernel.state.withLock { $0.now = max($0.now, deadline) }
            }
            save(fixture)
            guard let start = kept.start(run: 7, sequence: 1, fingerprint: 2), start.state.names.isEmpty,
                let entries = start.containers[5]?.entries
            else { continue }
            words += 1
            // What is complete is not read again.
            let complete = Set(entries.values.filter(\.isComplete).map(\.inode))
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

    /// As if the tree were saved; events that are played were read all the same.
    private func save(_ fixture: PlayedFixture) {
        guard let kept = fixture.watcher.kept else { return }
        kept.ring.noteRead(Int(fixture.watcher.position - kept.ring.head))
        fixture.watcher.prepareKept(sequence: 1)
        fixture.watcher.settleKept()
        // The played system has no mounts, which is as good as a table that cannot be read.
        kept.set(mounts: [Mount(number: 1, path: Array("/".utf8))])
    }
}
