// Runs the daemon's tasks on a thread that does not wake an idle daemon.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix

/// Runs tasks one after the other on a thread of its own. Swift's default executor is libdispatch, which wakes up once
/// a second after its first task (`_dispatch_workq_monitor_pools`).
final class LifecycleExecutor: TaskExecutor {
    /// The executor, which lives as long as the process.
    static let shared = LifecycleExecutor()

    private let pool = NIOThreadPool(numberOfThreads: 1)

    private init() { pool.start() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
