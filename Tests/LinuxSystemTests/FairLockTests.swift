// A lock that threads get in their order.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Synchronization
import Testing

struct FairLockTests {
    private static let long: UInt64 = 600_000_000_000

    @Test func aThreadThatWaitsComesBeforeOneThatTakesTheLockAgain() {
        let lock = FairLock()
        let order = Mutex<[String]>([])
        #expect(lock.begin(limit: 0))
        let thread = Thread {
            guard lock.begin(limit: FairLockTests.long) else { return }
            order.withLock { $0.append("waiting") }
            lock.end()
        }
        thread.start()
        while lock.waiting == 0 { sched_yield() }
        lock.end()
        #expect(lock.begin(limit: FairLockTests.long))
        order.withLock { $0.append("again") }
        lock.end()
        #expect(order.withLock { $0 } == ["waiting", "again"])
    }

    @Test func aThreadThatGivesUpHoldsUpNoOther() {
        let lock = FairLock()
        #expect(lock.begin(limit: 0))
        #expect(!lock.begin(limit: 0))
        #expect(!lock.begin(limit: 1_000_000))
        #expect(lock.waiting == 0)
        lock.end()
        #expect(lock.begin(limit: 0))
    }
}
