// A watcher on the played kernel, and time that passes when the test says so.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

/// A watcher without threads on a ``PlayedKernel``, with a tree of dictionaries.
final class PlayedFixture {
    let kernel: PlayedKernel
    let tree: DictionaryTree
    let watcher: TreeWatcher<PlayedKernel, DictionaryTree>
    private(set) var notices: [WatchNotice] = []

    init(
        containers: [UInt32] = [1], kernel: PlayedKernel = PlayedKernel(), tree: DictionaryTree? = nil,
        settings change: (inout WatchSettings) -> Void = { _ in }
    ) {
        var settings = WatchSettings()
        settings.crawlThreads = 0
        change(&settings)
        self.kernel = kernel
        self.tree = tree ?? DictionaryTree(containers: containers)
        watcher = TreeWatcher(kernel: kernel, tree: self.tree, settings: settings) {}
        kernel.state.withLock { $0.readable = nil }
    }

    deinit { watcher.close() }

    /// Iterates until nothing is to be done at once.
    func rest(sourceLocation: SourceLocation = #_sourceLocation) {
        var (iterations, idle) = (0, 0)
        // Directories are read at the beginning of an iteration, so one without more to do may have another follow.
        while idle < 4, iterations < 10_000 {
            idle = watcher.iterate() ? 0 : idle + 1
            notices += watcher.takeNotices()
            iterations += 1
        }
        #expect(idle == 4, "there is always more to do: \(watcher.unfinished)", sourceLocation: sourceLocation)
    }

    /// Lets time pass, with an iteration whenever the watcher asks for one.
    func wait(seconds: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
        rest(sourceLocation: sourceLocation)
        let end = kernel.now() + seconds * 1_000_000_000
        while let deadline = watcher.nextDeadline, deadline <= end {
            kernel.state.withLock { $0.now = max($0.now, deadline) }
            rest(sourceLocation: sourceLocation)
        }
        kernel.state.withLock { $0.now = end }
    }

    /// How deep the directories below a path lie, and whether they are watched.
    func directories(below path: String) -> [(depth: Int, isWatched: Bool)] {
        kernel.state.withLock { state in
            var inode: UInt64 = 1
            for name in path.split(separator: "/") { inode = state.inodes[inode]?.children[String(name)] ?? 0 }
            var found: [(Int, Bool)] = []
            var stack = [(inode, 0)]
            while let (next, depth) = stack.popLast() {
                guard let entry = state.inodes[next], entry.status.kind == .directory else { continue }
                found.append((depth, entry.watch != nil))
                for child in entry.children.values { stack.append((child, depth + 1)) }
            }
            return found
        }
    }

    func expectEqual(
        _ path: String, container: UInt32 = 1, _ context: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            tree.contents(of: container) == kernel.contents(below: path), "\(context)", sourceLocation: sourceLocation)
    }
}
