// Names that left a container while its directory could not be read, as the index of the daemon tells them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import Metadata
import MetadataIndex
import TestSupport
import Testing

@testable import GatherService

@Suite(.needsRoot("other users")) struct ClosedContainerTests {
    /// A watcher that writes to an index, and the names that change sets have told as added or removed.
    private final class Watched {
        let entry: IndexTree.Entry
        let kernel: LinuxKernel
        let watcher: TreeWatcher<LinuxKernel, IndexTree>
        private(set) var told: [String] = []

        init(_ path: String) throws {
            let root = FileStatus(
                kind: .directory, mode: 0, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
                changed: Timestamp(nanoseconds: 0), owner: 0, group: 0, links: 0, inode: 0, device: 0)
            entry = IndexTree.Entry(index: MetadataIndex(root: root), packages: [])
            entry.recordsCrawl = true
            let tree = IndexTree()
            tree.add(1, entry)
            kernel = try LinuxKernel()
            var settings = WatchSettings()
            // A thread of the watcher's own would be another user.
            settings.crawlThreads = 0
            watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings) {}
            watcher.addContainer(1, path: path)
            settle()
        }

        /// Takes changes as the engine does: not while the container is held.
        private func turn() -> Bool {
            let isMore = watcher.iterate()
            if entry.isHeld { entry.isHeld = watcher.state(of: 1)?.isSettling == true }
            guard !entry.isHeld, entry.index.hasChanges else { return isMore }
            let changes = entry.index.takeChanges()
            for place in 0..<changes.count where entry.index.isLive(changes.row(at: place)) {
                let name = entry.index.withName(of: changes.row(at: place)) { String(decoding: $0, as: UTF8.self) }
                told.append(name)
            }
            return isMore
        }

        func settle() {
            told = []
            let barrier = watcher.barrier()
            while turn() || !watcher.isReached(barrier) {}
        }
    }

    @Test(arguments: [0o700, 0o711, 0o744] as [mode_t]) func namesThatLeftAreNotTold(mode: mode_t) throws {
        let directory = try TemporaryDirectory()
        for name in ["box/leaves", "box/stays", "box/d/leaves too", "box/d/stays too"] {
            try directory.write("", to: name)
        }
        for name in ["", "/box", "/box/d"] { #expect(chmod(directory.path + name, 0o755) == 0) }
        let box = directory.path + "/box"
        let user = OtherUser(user: 41_041, group: 42_041)
        let results = user.run { Result { try Watched(box) } }
        let watched = try results.get()
        func settle() { user.run { watched.settle() } }
        #expect(watched.entry.index.count == 5)
        #expect(chmod(box, mode) == 0)
        settle()
        #expect(watched.entry.index.count == 0)
        for name in ["leaves", "d/leaves too"] {
            #expect(rename(box + "/" + name, directory.path + "/" + String(name.reversed().prefix(3))) == 0)
        }
        settle()
        #expect(watched.told == [] && watched.entry.index.count == 0)
        #expect(chmod(box, 0o755) == 0)
        settle()
        #expect(watched.told.sorted() == ["d", "stays", "stays too"])
        #expect(watched.entry.index.count == 3)
        watched.watcher.close()
    }
}
