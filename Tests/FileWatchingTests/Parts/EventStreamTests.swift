// The stream of events: positions, records that wait, and pauses.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct EventStreamTests {
    /// Puts bytes where the next read goes, as read(2) does, and returns what is to be heard.
    private func read(_ bytes: [UInt8], _ stream: inout EventStream) -> (records: UnsafeRawBufferPointer, start: UInt64)
    {
        stream.room.copyBytes(from: bytes)
        return stream.take(bytes.count)
    }

    @Test func recordsThatWaitComeBeforeWhatIsReadNext() {
        var stream = EventStream(bufferSize: 64)
        let first = read([1, 2, 3, 4], &stream)
        #expect(Array(first.records) == [1, 2, 3, 4] && first.start == 1)
        #expect(stream.position == 5, "all counts as heard at first")
        stream.heard(1, of: first.records)
        #expect(stream.position == 2 && stream.undecided == 3 && stream.room.count == 61)
        let second = read([5, 6], &stream)
        #expect(Array(second.records) == [2, 3, 4, 5, 6] && second.start == 2)
        stream.heard(5, of: second.records)
        #expect(stream.position == 7 && stream.undecided == 0)
        stream.begin(at: 100)
        #expect(read([7], &stream).start == 100)
    }

    @Test func onlyNewsThatCanWaitMakesAPause() {
        var stream = EventStream(bufferSize: 64)
        #expect(stream.beginReading(at: 10) == nil)
        stream.noteEvents(1, now: 20, pause: 5)
        #expect(stream.pauseEnd == 25, "all were of hot entries")
        // The same pause goes on where a reading for another reason finds nothing, and not when it is over.
        #expect(stream.beginReading(at: 24) == 25 && stream.pauseEnd == nil)
        stream.pause(until: 25)
        #expect(stream.beginReading(at: 25) == nil)
        stream.heardColdEntry()
        stream.noteEvents(1, now: 30, pause: 5)
        #expect(stream.pauseEnd == nil, "slow news of other entries is told at once")
        _ = stream.beginReading(at: 31)
        stream.heardNames()
        stream.noteEvents(100_000, now: 40, pause: 5)
        #expect(stream.pauseEnd == nil)
    }

    @Test func fastNewsOfContentsMakesAPause() {
        var stream = EventStream(bufferSize: 64)
        for time in UInt64(0)..<20 {
            _ = stream.beginReading(at: time * 1_000_000)
            stream.heardColdEntry()
            stream.noteEvents(1_000, now: time * 1_000_000, pause: 5)
        }
        #expect(stream.pauseEnd == 19_000_005)
    }

    @Test func theTimeOfAnEventIsThatOfItsReading() {
        var stream = EventStream(bufferSize: 64)
        for (bytes, time) in [(4, 10), (4, 20)] as [(Int, UInt64)] {
            stream.noteRead(bytes, at: time)
            let taken = read(Array(repeating: 1, count: bytes), &stream)
            stream.heard(bytes, of: taken.records)
        }
        #expect(stream.time(of: 1) == 10 && stream.time(of: 4) == 10 && stream.time(of: 5) == 20)
    }
}
