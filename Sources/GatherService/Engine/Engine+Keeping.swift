// Going on with the watches of the daemon before this one, and leaving them to the next.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore
import NIOPosix

extension Engine {
    /// All containers of the start were added: hears what was queued while nobody was there. Whether the watches are those that
    /// are known is looked at soon.
    func goOn() {
        let wasAdopted = watcher.hear()
        turn()
        // Where no container goes on, the watches that were left belong to nobody, and end.
        guard wasAdopted else { return }
        askForWatches(Limits.watchChecks, in: limits.watchesCheckedAfter)
    }

    /// Has the kernel tell its watches, off the loop, after a time; where it does not, so many times in all.
    private func askForWatches(_ times: Int, in time: TimeAmount) {
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: time) {
            let here = engine.value
            guard !here.turns.isClosed else { return }
            let watches = here.watcher.watchesThatGoOn
            here.pool.runIfActive(eventLoop: here.loop) { [kernel = here.kernel, ask = here.watchesOfKernel] in
                ask(kernel)
            }
            .whenSuccess { found in
                let here = engine.value
                guard !here.turns.isClosed else { return }
                if let found {
                    here.watcher.check(watches: found, of: watches)
                    here.turn()
                } else if times > 1 {
                    here.askForWatches(times - 1, in: time * 2)
                } else {
                    here.logger.warning(
                        "the kept watches were not checked: /proc/self/fdinfo cannot be read; the self-audit finds changes that a missing watch hides"
                    )
                }
            }
        }
    }
}
