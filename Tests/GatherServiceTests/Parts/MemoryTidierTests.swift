// Memory is given back once for all who ask.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct MemoryTidierTests {
    @Test func memoryIsGivenBackOnceForAll() {
        let loop = EmbeddedEventLoop()
        var count = 0
        let tidier = MemoryTidier(loop: loop) { count += 1 }
        for _ in 0..<3 { tidier.tidySoon() }
        #expect(count == 0)
        loop.advanceTime(by: MemoryTidier.delay)
        #expect(count == 1)
        tidier.tidySoon()
        loop.advanceTime(by: MemoryTidier.delay)
        #expect(count == 2)
    }
}
