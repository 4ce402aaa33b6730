// The state that another process has left, until it is taken over.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct ResumptionTests {
    private var resumption = Resumption()

    private func start() -> HandoverStart {
        var start = HandoverStart(state: IterationState(), mounts: [])
        start.containers[5] = HandoverContainer(flags: .exact)
        _ = start.entries.append(
            HandoverEntry(watch: 3, depth: 1, isComplete: true, device: 1, inode: 10, key: 5))
        return start
    }

    private func rename(_ cookie: UInt32, position: UInt64) -> Resumption.ReplayedRename {
        var bytes: [UInt8] = [1, 0, 0, 0, 64, 0, 0, 0]
        bytes += withUnsafeBytes(of: cookie.littleEndian, Array.init) + [0, 0, 0, 0]
        var offset = 0
        let event = bytes.withUnsafeBytes { InotifyEvent(in: $0, at: &offset) }
        return Resumption.ReplayedRename(
            directory: DirectoryID(slot: 0, generation: 0), event: event!, name: [97],
            origin: Origin(position: position))
    }

    @Test mutating func eachPartIsTakenOnce() {
        let directory = InodeNumber(device: 1, inode: 10)
        #expect(resumption.takeStart() == nil && resumption.takeContainer(5) == nil)
        resumption.begin(with: start())
        #expect(resumption.isAwaitingContainers && resumption.mayRestore(watch: 3) && !resumption.mayRestore(watch: 4))
        #expect(resumption.takeContainer(5) != nil && resumption.takeContainer(5) == nil)
        #expect(resumption.entry(of: directory, in: 5)?.watch == 3)
        #expect(resumption.takeEntry(of: directory, in: 5)?.watch == 3)
        #expect(resumption.takeEntry(of: directory, in: 5) == nil)
        #expect(resumption.takeStart() != nil && resumption.takeStart() == nil)
        #expect(!resumption.isAwaitingContainers && !resumption.mayRestore(watch: 3))
    }

    @Test mutating func renamesWithoutASecondEventComeInTheOrderOfTheirEvents() {
        resumption.replay(to: 100)
        let row = TreeNode(container: 1, row: 2)
        resumption.noteWaiting(row, for: 8)
        for (cookie, position) in [(7, 40), (8, 20), (9, 30)] as [(UInt32, UInt64)] {
            resumption.setRename(rename(cookie, position: position), of: cookie)
        }
        resumption.setRename(nil, of: 9)
        #expect(resumption.rename(of: 8)?.origin.position == 20 && resumption.rename(of: 9) == nil)
        let waiting = resumption.takeRenames()
        #expect(waiting.map(\.rename.event.cookie) == [8, 7] && waiting.map(\.row) == [row, nil])
        #expect(resumption.received == 100, "until the renames are dealt with")
        #expect(resumption.takeRenames().isEmpty && resumption.row(waitingFor: 8) == nil)
    }

    @Test mutating func theWatchesAreComparedWhenWhatWasQueuedIsRead() {
        resumption.setCheck(.init(found: [3: 10, 4: 11], restored: [3], position: 50))
        #expect(resumption.takeCheck(at: 49) == nil && !resumption.hasOrphans)
        #expect(resumption.takeCheck(at: 50)?.restored == [3])
        #expect(resumption.takeCheck(at: 50) == nil)
        #expect(resumption.takeOrphans() == [3, 4] && !resumption.hasOrphans)
    }
}
