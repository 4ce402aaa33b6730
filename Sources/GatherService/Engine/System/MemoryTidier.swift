// Gives memory back to the system once the daemon has settled.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Has freed memory given back, soon and once for all requests until then. Event loop only.
final class MemoryTidier {
    private let loop: any EventLoop
    private let tidy: () -> Void
    private var isScheduled = false

    /// `tidy` gives the memory back, on another thread.
    init(loop: any EventLoop, tidy: @escaping () -> Void) { (self.loop, self.tidy) = (loop, tidy) }

    /// So long after a container has settled or was saved the memory that was needed for it is free.
    static let delay = TimeAmount.seconds(2)

    /// Has freed memory given back: the batches of a crawl or comparison, and the blocks that changes have replaced while an index
    /// was saved.
    func tidySoon() {
        guard !isScheduled else { return }
        isScheduled = true
        let tidier = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: MemoryTidier.delay) {
            tidier.value.isScheduled = false
            tidier.value.tidy()
        }
    }
}
