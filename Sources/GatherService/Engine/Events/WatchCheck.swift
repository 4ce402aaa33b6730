// Continuing with the watches of the daemon before this one.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore

/// Compares the watches of the daemon before this one with those that the kernel has, once the kernel tells them. Event loop only.
final class WatchCheck {
    /// The resumed watches, and the engine around them.
    protocol Owner: AnyObject {
        /// Whether the end has come: nothing is compared any more.
        var isClosed: Bool { get }
        /// The resumed watches that have not ended.
        var resumedWatches: [Int32] { get }
        /// Compares the resumed watches when the kernel was asked with those that it has.
        func compare(_ resumed: [Int32], with found: [Int32: UInt64])
        /// The kernel does not tell its watches, and is not asked any more.
        func watchesAreUnavailable()
    }

    /// Has the kernel tell its watches, off the loop. Calls `then`, on the loop, with nil where it does not.
    typealias Ask = (_ then: @escaping ([Int32: UInt64]?) -> Void) -> Void

    private let owner: any Owner
    private let loop: any EventLoop
    private let ask: Ask
    /// When the kernel is asked next, and how many times it may still be.
    private var time: TimeAmount
    private var timesLeft = Limits.watchChecks

    init(of owner: any Owner, loop: any EventLoop, after time: TimeAmount, ask: @escaping Ask) {
        (self.owner, self.loop, self.time, self.ask) = (owner, loop, time, ask)
    }

    /// Asks the kernel after a time; where it does not tell, again after twice the time, so many times in all.
    func begin() {
        let check = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: time) { check.value.askNow() }
    }

    private func askNow() {
        guard !owner.isClosed else { return }
        let resumed = owner.resumedWatches
        timesLeft -= 1
        ask { [self] found in
            guard !owner.isClosed else { return }
            if let found {
                owner.compare(resumed, with: found)
            } else if timesLeft > 0 {
                time = time * 2
                begin()
            } else {
                owner.watchesAreUnavailable()
            }
        }
    }
}

extension Engine: WatchCheck.Owner {
    var isClosed: Bool { iterations.isClosed }
    var resumedWatches: [Int32] { watcher.resumedWatches }

    /// To be called when all containers of the start were added: takes the events that were queued before. The watches are compared
    /// soon.
    /// - Parameter ask: has the kernel tell its watches, from any thread; nil where it does not.
    func checkResumedWatches(ask: @escaping @Sendable (LinuxKernel) -> [Int32: UInt64]?) {
        let wasAdopted = watcher.replayEvents()
        runIteration()
        // If no container goes on, the watches that were left belong to no directory, and end.
        guard wasAdopted else { return }
        let check = WatchCheck(of: self, loop: loop, after: limits.watchesCheckedAfter) { [self] then in
            scans.inTurn(.shared, { [kernel = watcher.kernel] in ask(kernel) }) { result in
                // It fails only when the pool has been shut down, and then there is nothing to compare.
                if case .success(let found) = result { then(found) }
            }
        }
        check.begin()
    }

    func compare(_ resumed: [Int32], with found: [Int32: UInt64]) {
        watcher.check(watches: found, of: resumed)
        runIteration()
    }

    func watchesAreUnavailable() {
        logger.warning(
            "the kept watches were not checked: /proc/self/fdinfo cannot be read; the self-audit finds changes that a missing watch hides"
        )
    }
}
