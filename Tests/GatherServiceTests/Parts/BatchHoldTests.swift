// Changes are held for the batch time, counted from the first one.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct BatchHoldTests {
    private final class Holder {
        var batch: BatchHold
        let loop = EmbeddedEventLoop()
        var ends = 0

        init(_ milliseconds: Int64) { batch = BatchHold(milliseconds: milliseconds) }

        func hold() {
            batch.hold { time in
                loop.scheduleTask(in: time) {
                    self.batch.timeIsOver()
                    self.ends += 1
                }
            }
        }
    }

    @Test func theTimeCountsFromTheFirstChange() {
        let holder = Holder(100)
        #expect(holder.batch.holdsChanges && !holder.batch.releaseIfFull(items: 1))
        holder.hold()
        holder.loop.advanceTime(by: .milliseconds(60))
        #expect(holder.batch.releaseIfFull(items: 2) == false)
        holder.hold()
        holder.loop.advanceTime(by: .milliseconds(39))
        #expect(holder.ends == 0 && !holder.batch.releaseIfFull(items: 2))
        holder.loop.advanceTime(by: .milliseconds(1))
        #expect(holder.ends == 1 && holder.batch.releaseIfFull(items: 2))
        holder.batch.noteAllPublished()
        #expect(holder.batch.releaseIfFull(items: 1) == false, "the next batch begins")
        holder.hold()
        holder.loop.advanceTime(by: .milliseconds(100))
        #expect(holder.ends == 2 && holder.batch.releaseIfFull(items: 1))
    }

    @Test func withoutABatchTimeNothingIsHeld() {
        let holder = Holder(0)
        #expect(!holder.batch.holdsChanges && holder.batch.releaseIfFull(items: 1))
        holder.batch.noteAllPublished()
        #expect(holder.batch.releaseIfFull(items: 0) == true)
    }

    @Test func tooManyChangesAreNotHeld() {
        let holder = Holder(100)
        #expect(holder.batch.releaseIfFull(items: Limits.itemsHeldForBatch - 1) == false)
        #expect(holder.batch.releaseIfFull(items: Limits.itemsHeldForBatch) == true)
        #expect(holder.batch.releaseIfFull(items: 1) == true, "so do those that are left of them")
        holder.batch.noteAllPublished()
        #expect(holder.batch.releaseIfFull(items: 1) == false)
    }

    @Test func aBatchThatIsReleasedAndToldEndsItsTimer() {
        let holder = Holder(100)
        holder.hold()
        holder.batch.release()
        #expect(holder.batch.releaseIfFull(items: 1) == true)
        holder.batch.noteAllPublished()
        holder.loop.advanceTime(by: .hours(1))
        #expect(holder.ends == 0 && !holder.batch.releaseIfFull(items: 1))
    }
}
