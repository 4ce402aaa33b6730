// Going on with the watches of the daemon before this one, and leaving them to the next.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore
import NIOPosix

extension Engine {
    /// Writes what was appended to the journal, between the two words for the next process that belong to it.
    func commit() {
        watcher.prepareKept(sequence: sequence)
        store.commit()
    }

    /// All containers of the start were added: hears what was queued while nobody was there, and then looks whether the
    /// watches are those that are known, off the loop.
    func goOn() {
        let wasAdopted = watcher.hear()
        turn()
        // Where no container goes on, the watches that were left belong to nobody, and end.
        guard wasAdopted else { return }
        let watches = watcher.watchesThatGoOn
        let engine = NIOLoopBound(self, eventLoop: loop)
        pool.runIfActive(eventLoop: loop) { [kernel] in kernel.watches() }.whenSuccess { found in
            engine.value.check(watches, found)
        }
    }

    private func check(_ watches: [Int32], _ found: [Int32: UInt64]?) {
        guard !isClosed, let found else { return }
        let missing = watcher.check(watches: found, of: watches)
        if missing > 0 {
            logger.warning(
                "\(missing) of \(watches.count) directories had no watch any more, reading them; live queries get what differs",
                metadata: ["message-id": "watches-missing"])
        }
        turn()
    }
}
