// Gives memory back to the system once the daemon has settled.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NIOCore
import NIOPosix

extension Engine {
    /// So long after a container has settled or was saved what was needed for it is free.
    private static let tidiedAfter = TimeAmount.seconds(2)

    /// Has the memory that was freed given back soon, on another thread: the batches of a crawl or comparison, and the blocks
    /// that changes have replaced while the index was saved.
    func tidyMemorySoon() {
        guard !tidiesMemory else { return }
        tidiesMemory = true
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Engine.tidiedAfter) {
            engine.value.tidiesMemory = false
            engine.value.pool.submit { state in
                if state == .active { Heap.giveBackUnused() }
            }
        }
    }
}
