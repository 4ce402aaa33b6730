// Going on with the watches of the daemon before this one, and leaving them to the next.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore
import NIOPosix

extension Engine {
    /// Writes what was appended to the journal, between the two words for the next process that belong to it.
    func commit() {
        if !store.isSuspended { watcher.prepareKept(sequence: sequence) }
        store.commit()
        if store.isSuspended { watcher.withdrawKept() }
    }

    /// At the end of a turn: says what is known, and lets go of the events that it knows of. As long as changes are not saved
    /// nothing is told, and nothing let go of: the journal ends before what the next process would go on from.
    func tellNext() {
        guard !store.isSuspended else { return watcher.withdrawKept() }
        watcher.prepareKept(sequence: sequence)
        watcher.settleKept()
    }

    /// All containers of the start were added: hears what was queued while nobody was there. Whether the watches are those that
    /// are known is looked at soon.
    func goOn() {
        let wasAdopted = watcher.hear()
        turn()
        // Where no container goes on, the watches that were left belong to nobody, and end.
        guard wasAdopted else { return }
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Limits.watchesCheckedAfter) { engine.value.askForWatches() }
    }

    /// Has the kernel tell its watches, off the loop.
    private func askForWatches() {
        guard !isClosed else { return }
        let watches = watcher.watchesThatGoOn
        let engine = NIOLoopBound(self, eventLoop: loop)
        pool.runIfActive(eventLoop: loop) { [kernel] in kernel.watches() }.whenSuccess { found in
            engine.value.check(watches, found)
        }
    }

    private func check(_ watches: [Int32], _ found: [Int32: UInt64]?) {
        guard !isClosed, let found else { return }
        watcher.check(watches: found, of: watches)
        turn()
    }
}
