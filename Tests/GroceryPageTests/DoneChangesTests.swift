// The memory of changes that were made.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import GroceryPage

struct DoneChangesTests {
    private final class Answer: Sendable {}
    private final class Count: Sendable { let made = Mutex(0) }

    private func answer(
        _ changes: DoneChanges, _ change: String, _ made: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        let repeated = PageResponse(.noContent)
        let response = try await changes.answer(change) {
            repeated
        } make: {
            made()
            return PageResponse(.ok, body: ByteBuffer(repeating: 1, count: 1 << 20))
        }
        return response.status == .ok
    }

    @Test func changesTakeALimitedNumberOfBytesWhateverTheirAnswers() async throws {
        let changes = DoneChanges(limit: 10_000)
        for number in 0..<1_000 {
            let name = String(repeating: "a", count: number % PageBody.changeBytes) + "\(number)"
            #expect(try await answer(changes, name) {})
            #expect(await changes.bytes <= 10_000)
            // The last ones are remembered.
            #expect(try await !answer(changes, name) { Issue.record("made twice") })
        }
        #expect(await changes.bytes > 9_000)
        // The first one was forgotten.
        #expect(try await answer(changes, "0") {})
    }

    @Test func anAnswerIsNotKept() async throws {
        let changes = DoneChanges(limit: 10_000)
        weak let kept: Answer? = try await {
            let answer = Answer()
            _ = try await self.answer(changes, "change") { withExtendedLifetime(answer) {} }
            return answer
        }()
        // The task that made the change ends soon.
        let patience = Patience()
        while kept != nil, !patience.isOver { await Task.yield() }
        #expect(kept == nil)
        #expect(try await !answer(changes, "change") {})
    }

    @Test func aChangeThatIsBeingMadeIsNotMadeTwice() async throws {
        let changes = DoneChanges(limit: 10_000)
        let count = Count()
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask { try await self.answer(changes, "change") { count.made.withLock { $0 += 1 } } }
            }
            var first = 0
            for try await isFirst in tasks where isFirst { first += 1 }
            #expect(first == 1)
        }
        #expect(count.made.withLock { $0 } == 1)
    }

    @Test func aChangeThatFailedIsMadeAgain() async throws {
        let changes = DoneChanges(limit: 10_000)
        await #expect(throws: PageError.self) {
            try await changes.answer("change") {
                PageResponse(.noContent)
            } make: {
                throw PageError.noSuchItem
            }
        }
        #expect(await changes.bytes == 0)
        #expect(try await answer(changes, "change") {})
    }
}
