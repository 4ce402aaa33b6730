// The directories above a container, where they cannot be watched, and their news when all is found.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct AncestorTests {
    let kernel = PlayedKernel()
    let tree = DictionaryTree()
    let watcher: TreeWatcher<PlayedKernel, DictionaryTree>

    init() {
        var settings = WatchSettings()
        settings.crawlThreads = 0
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings) {}
        kernel.state.withLock { $0.readable = nil }
        kernel.create("/a", .directory)
        kernel.create("/a/b", .directory)
    }

    private func rest() {
        var iterations = 0
        let barrier = watcher.barrier()
        while watcher.iterate() || !watcher.isReached(barrier), iterations < 1000 { iterations += 1 }
        #expect(iterations < 1000)
    }

    private func makeContainer() {
        if !kernel.contents(below: "/").keys.contains(Array("a/b/c".utf8)) { kernel.create("/a/b/c", .directory) }
        kernel.create("/a/b/c/f")
        rest()
    }

    @Test func oneThatCannotBeReadIsPassed() {
        kernel.setUnreadable("/a", true)
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        makeContainer()
        #expect(watcher.state(of: 1) == .live)
        #expect(tree.node(at: "f") != nil)
    }

    @Test func withoutWatchesTheContainerIsLookedForFromTimeToTime() throws {
        kernel.state.withLock { $0.watchLimit = 0 }
        watcher.addContainer(1, path: "/a/b/c")
        for _ in 0..<3 {
            rest()
            let deadline = try #require(watcher.nextDeadline)
            kernel.state.withLock { $0.now = deadline }
        }
        kernel.state.withLock { $0.watchLimit = 100 }
        makeContainer()
        #expect(tree.node(at: "f") != nil)
    }

    /// A shortage of descriptors says nothing of the directories: their watches stay.
    @Test func aShortageKeepsTheWatches() {
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        let watches = kernel.state.withLock { $0.watches.count }
        kernel.state.withLock { $0.descriptorLimit = 0 }
        kernel.create("/a/c")
        rest()
        kernel.state.withLock { $0.descriptorLimit = 100 }
        #expect(kernel.state.withLock { $0.watches.count } == watches)
        makeContainer()
        #expect(tree.node(at: "f") != nil)
    }

    /// A directory read with the event that told of it is behind a barrier that was made in between.
    @Test func aBarrierWaitsForAContainerThatHasAppeared() {
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        kernel.create("/a/b/c", .directory)
        kernel.create("/a/b/c/f")
        let barrier = watcher.barrier()
        kernel.create("/a/b/other", .directory)
        watcher.jobs.areRead = false
        while watcher.iterate() {}
        #expect(watcher.state(of: 1) == .crawling)
        #expect(!watcher.isReached(barrier))
        watcher.jobs.areRead = true
        rest()
        #expect(watcher.isReached(barrier))
        #expect(tree.node(at: "f") != nil)
    }

    /// Changes far above a container that is there wake no thread.
    @Test func aContainerThatIsFoundHearsLess() {
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        makeContainer()
        rest()
        kernel.create("/other", .directory)
        kernel.create("/a/other")
        #expect(kernel.state.withLock { $0.queue.count } == 0)
        kernel.move("/a", "/away")
        rest()
        guard case .unavailable = watcher.state(of: 1) else {
            Issue.record("not unavailable after a directory above was renamed")
            return
        }
        kernel.move("/away", "/a")
        rest()
        #expect(tree.node(at: "f") != nil)
    }

    /// Nothing tells of what happens to a directory above that may only be searched: whoever asks has the way gone anew.
    @Test func aBarrierLooksAtTheUnwatchedWay() {
        kernel.create("/a/b/c", .directory)
        kernel.setUnreadable("/a", true)
        kernel.setUnreadable("/a/b", true)
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        _ = watcher.takeAncestorAccessChanges()
        let former = watcher.directoriesAbove(1)
        kernel.setUnsearchable("/a/b", true)
        while watcher.iterate() {}
        #expect(watcher.directoriesAbove(1) == former, "an event told of it")
        let other = watcher.barrier(for: [2])
        #expect(watcher.isReached(other, in: [2]))
        let barrier = watcher.barrier(for: [1])
        #expect(!watcher.isReached(barrier, in: [1]))
        while watcher.iterate() {}
        #expect(watcher.isReached(barrier, in: [1]))
        #expect(watcher.directoriesAbove(1)?.last?.mode == 0o644)
        #expect(watcher.takeAncestorAccessChanges() == [1])
    }

    /// Where a directory above cannot be watched, a container whose directory was replaced is looked for as before.
    @Test func aReplacedContainerIsLookedForFromTimeToTime() throws {
        kernel.create("/a/b/c", .directory)
        kernel.setUnreadable("/a", true)
        kernel.setUnreadable("/a/b", true)
        watcher.addContainer(1, path: "/a/b/c")
        rest()
        kernel.move("/a/b/c", "/a/b/d")
        kernel.create("/a/b/c", .directory)
        rest()
        #expect(watcher.state(of: 1) == .live)
        // No watch tells of this.
        kernel.move("/a/b", "/a/x")
        kernel.create("/a/b", .directory)
        kernel.create("/a/b/c", .directory)
        kernel.create("/a/b/c/f")
        while watcher.iterate() {}
        #expect(tree.node(at: "f") == nil)
        for _ in 0..<3 where tree.node(at: "f") == nil {
            let deadline = try #require(watcher.nextDeadline)
            kernel.state.withLock { $0.now = deadline }
            while watcher.iterate() {}
        }
        #expect(tree.node(at: "f") != nil)
    }
}
