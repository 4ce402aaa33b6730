// Directories that are another each time they are read.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct UnstableDirectoriesTests {
    private let directory = DirectoryID(slot: 1, generation: 0)

    @Test func someReadingsInARowMakeADirectoryUnstable() {
        var directories = UnstableDirectories(limit: 3)
        #expect(!directories.note(directory) && !directories.note(directory) && !directories.contains(directory))
        #expect(directories.note(directory) && directories.contains(directory))
        #expect(directories.note(directory) && directories.count(of: directory) == 3, "it counts no further")
        directories.forget(directory)
        #expect(!directories.contains(directory) && directories.all.isEmpty && directories.count(of: directory) == nil)
    }

    @Test func aReplacementTakesTheCount() {
        var directories = UnstableDirectories(limit: 3)
        directories.raise(directory, to: 2)
        directories.raise(directory, to: 1)
        #expect(directories.count(of: directory) == 2 && directories.all == [directory])
        #expect(directories.note(directory) && directories.contains(directory))
    }
}
