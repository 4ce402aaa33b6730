// Where the daemon's tasks run: on a thread of its own, so that an idle daemon sleeps.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// Runs tasks on a thread of its own, one after the other. Elsewhere Swift has libdispatch run them, which from the first one on
/// wakes up every second to see how many of its threads are busy (`_dispatch_workq_monitor_pools`): 60 wake-ups a minute, of a
/// daemon to which nothing happens.
final class LifecycleExecutor: TaskExecutor {
    /// Lives as long as the process.
    static let shared = LifecycleExecutor()

    private let pool = NIOThreadPool(numberOfThreads: 1)

    private init() { pool.start() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
