// The watcher: keeps a tree equal to directory trees on disk, by inotify, look-ups, crawls and comparisons.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Skeleton: the public surface only; the body follows.
package final class TreeWatcher<Kernel: WatchKernel, Tree: WatchedTree> {
    package let kernel: Kernel
    package let tree: Tree

    /// - Parameters:
    ///   - threads: how many crawling threads.
    ///   - wake: called from a crawling thread when the loop has something to take: call ``turn()`` soon.
    package init(
        kernel: Kernel, tree: Tree, settings: WatchSettings = WatchSettings(), wake: @escaping @Sendable () -> Void
    ) {
        self.kernel = kernel
        self.tree = tree
    }

    /// Begins to watch a tree. The container is `.crawling`, or `.unavailable`, at once.
    package func addContainer(_ number: UInt32, path: String, ignoring globs: [String] = []) {}

    /// Stops watching: its entries leave the tree. Its watches are removed over the next turns.
    package func removeContainer(_ number: UInt32) {}

    /// Compares a container with the file system; the completion comes in a later turn with what differed.
    package func rescan(_ number: UInt32, completion: @escaping (ComparisonCounts) -> Void) {}

    /// Reads `user.xdg.tags` at each look-up from now on, and of everything that is known by a comparison.
    package func setReadsTags(_ number: UInt32, completion: @escaping () -> Void = {}) {}

    /// Does what is due: call it when the inotify descriptor is readable, when woken, and at ``nextDeadline``.
    /// Returns whether there is more to do at once: then call it again after giving others their turn.
    package func turn() -> Bool { false }

    /// When ``turn()`` must be called at the latest, in the kernel's nanoseconds; nil when only events can cause work.
    package var nextDeadline: UInt64? { nil }

    /// A point that is reached when everything the kernel has queued until now is in the tree.
    package func barrier() -> Barrier { Barrier(position: 0) }

    /// Whether a barrier is reached: for all containers, or for those named.
    package func isReached(_ barrier: Barrier, in containers: [UInt32]? = nil) -> Bool { true }

    /// How a container stands; nil for one that is not watched.
    package func state(of number: UInt32) -> ContainerState? { nil }

    /// Figures of a container.
    package func figures(of number: UInt32) -> ContainerFigures { ContainerFigures() }

    /// Takes what there is to say, in order.
    package func takeNotices() -> [WatchNotice] { [] }

    /// Counters since the start.
    package var counters: WatchCounters { WatchCounters() }

    /// Ends the crawling threads and closes every directory. The watcher does nothing afterwards.
    package func close() {}
}
