// Results of the crawling threads that wait to be applied.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct CrawlInboxTests {
    private func result(_ ticket: UInt64, entries: Int) -> CrawlResult {
        var result = CrawlResult(ticket: ticket, task: 1, round: 0)
        for number in 0..<entries {
            Array("f\(number)".utf8).withUnsafeBytes {
                result.batch.append(
                    name: $0, status: PlayedKernel.status(UInt64(number) + 2, .file, 1), isMountRoot: false)
            }
        }
        return result
    }

    @Test func resultsComeInOrderAndAreLetGoOf() {
        var inbox = CrawlInbox()
        #expect(inbox.isEmpty && inbox.first == nil)
        inbox.fill(position: 40) { processed in
            #expect(processed == 0)
            return [result(1, entries: 3), result(2, entries: 2)]
        }
        #expect(inbox.count == 2 && inbox.position == 40)
        inbox.fill(position: 41) { _ in
            Issue.record("what waits comes first")
            return []
        }
        #expect(inbox.first?.ticket == 1)
        inbox.removeFirst()
        #expect(inbox.processed == 3 && inbox.first?.ticket == 2)
        inbox.removeFirst()
        #expect(inbox.isEmpty && inbox.processed == 5)
        inbox.removeFirst()
        inbox.fill(position: 42) { processed in
            #expect(processed == 5, "the threads are told how much was applied")
            return []
        }
        #expect(inbox.position == 40 && inbox.processed == 0, "nothing has come, so nothing waits")
    }
}
