// A lock that threads get in the order in which they have asked for it.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A lock with a time limit, first come, first served. Swift's Mutex has no limit.
///
/// A thread that releases a pthread mutex and takes it again at once gets it before a thread that waits. A thread that
/// crawls a slow mount would so hold up the event loop for its whole limit.
package final class FairLock: @unchecked Sendable {
    // Allocated here and released in deinit, since they must not move. The mutex protects the fields below.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isHeld = false
    private var lastTicket: UInt64 = 0
    /// The tickets of the waiting threads, in their order.
    private var queue: [UInt64] = []

    package init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// How many threads wait.
    package var waiting: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return queue.count
    }

    /// Waits at most `limit` nanoseconds. Returns whether the lock is held.
    package func begin(limit: UInt64) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if !isHeld, queue.isEmpty {
            isHeld = true
            return true
        }
        guard limit > 0 else { return false }
        let (end, isTooLate) = MonotonicClock.now().addingReportingOverflow(limit)
        lastTicket += 1
        let ticket = lastTicket
        queue.append(ticket)
        while isHeld || queue.first != ticket {
            guard clinux_wait_until(condition, mutex, isTooLate ? .max : end) != 0 else { continue }
            if !isHeld, queue.first == ticket { break }
            queue.removeAll { $0 == ticket }
            // The next thread may be first now.
            pthread_cond_broadcast(condition)
            return false
        }
        queue.removeFirst()
        isHeld = true
        return true
    }

    /// Releases the lock to the thread that has waited longest.
    package func end() {
        pthread_mutex_lock(mutex)
        isHeld = false
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
