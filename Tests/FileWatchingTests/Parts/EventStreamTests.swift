// The stream of events: positions, records that wait, and pauses.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct EventStreamTests {
    @Test func recordsThatWaitComeBeforeWhatIsReadNext() {
        var stream = EventStream(readLimit: 64)
        #expect(stream.take(4, at: 10) == 1)
        #expect(stream.position == 5, "all counts as heard at first")
        stream.received(1, of: 4)
        #expect(stream.position == 2 && stream.undecided == 3)
        #expect(stream.take(5, at: 20) == 2)
        stream.received(5, of: 5)
        #expect(stream.position == 7 && stream.undecided == 0)
        stream.begin(at: 100)
        #expect(stream.take(1, at: 30) == 100)
    }

    @Test func onlyNewsThatCanWaitMakesAPause() {
        var stream = EventStream(readLimit: 64)
        #expect(stream.beginReading(at: 10) == nil)
        stream.noteEvents(1, now: 20, pause: 5)
        #expect(stream.pauseEnd == 25, "all were of hot entries")
        // The same pause goes on where a reading for another reason finds nothing, and not when it is over.
        #expect(stream.beginReading(at: 24) == 25 && stream.pauseEnd == nil)
        stream.pause(until: 25)
        #expect(stream.beginReading(at: 25) == nil)
        stream.receivedColdEntry()
        stream.noteEvents(1, now: 30, pause: 5)
        #expect(stream.pauseEnd == nil, "slow news of other entries is told at once")
        _ = stream.beginReading(at: 31)
        stream.receivedNames()
        stream.noteEvents(100_000, now: 40, pause: 5)
        #expect(stream.pauseEnd == nil)
    }

    @Test func fastNewsOfContentsMakesAPause() {
        var stream = EventStream(readLimit: 64)
        for time in UInt64(0)..<20 {
            _ = stream.beginReading(at: time * 1_000_000)
            stream.receivedColdEntry()
            stream.noteEvents(1_000, now: time * 1_000_000, pause: 5)
        }
        #expect(stream.pauseEnd == 19_000_005)
    }

    @Test func theTimeOfAnEventIsThatOfItsReading() {
        var stream = EventStream(readLimit: 64)
        for (bytes, time) in [(4, 10), (4, 20)] as [(Int, UInt64)] {
            _ = stream.take(bytes, at: time)
            stream.received(bytes, of: bytes)
        }
        #expect(stream.time(of: 1) == 10 && stream.time(of: 4) == 10 && stream.time(of: 5) == 20)
    }
}
