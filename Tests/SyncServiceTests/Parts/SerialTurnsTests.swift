// Work of several callers, one piece after the other.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import SyncService

@Suite struct SerialTurnsTests {
    private var turns = SerialTurns()

    @Test mutating func eachPieceBeginsAfterTheEndOfTheOneBefore() async {
        let told = Mutex<[String]>([])
        let first = turns.add {
            told.withLock { $0.append("first begins") }
            // The others would begin meanwhile.
            for _ in 0..<1_000 { await Task.yield() }
            told.withLock { $0.append("first ends") }
            return 1
        }
        let second = turns.add {
            told.withLock { $0.append("second") }
            return 2
        }
        let third = turns.add { told.withLock { $0.count } }
        let results = (await first.value, await second.value, await third.value)
        #expect(results == (1, 2, 3))
        #expect(told.withLock { $0 } == ["first begins", "first ends", "second"])
    }
}
