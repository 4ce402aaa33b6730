// Entries that a comparison has found and did not know, and those that it knows and has not found.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct ComparedEntriesTests {
    private let directory = DirectoryID(slot: 1, generation: 0)

    private func file(_ inode: UInt64, links: UInt32 = 1) -> FileStatus {
        var status = PlayedKernel.status(inode, .file, 1)
        status.links = links
        return status
    }

    @Test func foundEntriesAreTakenInSlices() {
        var found = FoundEntries()
        for name in [97, 98, 99] as [UInt8] { found.add(directory, [name]) }
        let first = found.take(atMost: 2)
        #expect(first.map(\.name) == [[97], [98]] && found.hasNext)
        let second = found.take(atMost: 2)
        #expect(second.map(\.name) == [[99]] && !found.hasNext && !found.isEmpty)
        found.removeEntries()
        #expect(found.isEmpty && !found.hasNext)
    }

    @Test func onlyFilesWithSeveralNamesAreNoted() {
        var found = FoundEntries()
        found.noteFile(file(2))
        #expect(!found.hasLinked)
        for inode in [3, 4, 4] as [UInt64] { found.noteFile(file(inode, links: 2)) }
        let some = found.takeLinked(atMost: 1)
        let rest = found.takeLinked(atMost: 5)
        #expect(Set((some + rest).map(\.inode)) == [3, 4] && some.count == 1 && !found.hasLinked)
    }

    @Test func missingEntriesAreFoundByTheirFiles() {
        var missing = MissingEntries()
        #expect(missing.isEmpty && !missing.hasFiles)
        missing.add(directory, [97], file(2).identity)
        missing.add(directory, [98], file(3).identity, isReplaced: true)
        missing.add(directory, [99], nil)
        #expect(missing.entry(of: file(2).identity)?.name == [97] && missing.contains(file(3).identity))
        #expect(missing.isReplaced(file(3).identity) && !missing.isReplaced(file(2).identity))
        missing.exchange(file(3).identity, with: file(5).identity)
        #expect(missing.isReplaced(file(5).identity) && !missing.contains(file(3).identity))
        #expect(missing.entry(of: file(5).identity)?.name == [98])
    }

    @Test func replacedEntriesAreTakenApart() {
        var missing = MissingEntries()
        for (name, isReplaced) in [(97, false), (98, true), (99, true)] as [(UInt8, Bool)] {
            missing.add(directory, [name], nil, isReplaced: isReplaced)
        }
        let replaced = missing.takeReplaced(atMost: 1)
        #expect(replaced.map(\.name) == [[98]] && missing.hasNextReplaced)
        let others = missing.takeReplaced(atMost: 9)
        #expect(others.map(\.name) == [[99]] && !missing.hasNextReplaced)
        let all = missing.take(atMost: 9)
        #expect(all.map(\.name) == [[97], [98], [99]] && !missing.hasNext)
        missing.removeAll()
        #expect(missing.isEmpty && !missing.hasNextReplaced)
    }
}
