// Going on with the watches of the daemon before this one, and leaving them to the next.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore
import NIOPosix

extension Engine {
    /// Has the kernel tell its watches, from any thread; nil where it does not.
    typealias WatchesOfKernel = @Sendable (LinuxKernel) -> [Int32: UInt64]?

    /// All containers of the start were added: hears what was queued while nobody was there. Whether the watches are those that
    /// are known is looked at soon.
    func goOn(askForWatches ask: @escaping WatchesOfKernel) {
        let wasAdopted = watcher.hear()
        turn()
        // Where no container goes on, the watches that were left belong to nobody, and end.
        guard wasAdopted else { return }
        askForWatches(ask, Limits.watchChecks, in: limits.watchesCheckedAfter)
    }

    /// Has the kernel tell its watches, off the loop, after a time; where it does not, so many times in all.
    private func askForWatches(_ ask: @escaping WatchesOfKernel, _ times: Int, in time: TimeAmount) {
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: time) {
            let here = engine.value
            guard !here.turns.isClosed else { return }
            let watches = here.watcher.watchesThatGoOn
            here.scans.inTurn(.shared, { [kernel = here.watcher.kernel] in ask(kernel) }) { result in
                guard !here.turns.isClosed, case .success(let found) = result else { return }
                if let found {
                    here.watcher.check(watches: found, of: watches)
                    here.turn()
                } else if times > 1 {
                    here.askForWatches(ask, times - 1, in: time * 2)
                } else {
                    here.logger.warning(
                        "the kept watches were not checked: /proc/self/fdinfo cannot be read; the self-audit finds changes that a missing watch hides"
                    )
                }
            }
        }
    }
}
