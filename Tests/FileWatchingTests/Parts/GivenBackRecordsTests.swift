// Records that the watcher gives back to the ring, since what follows them decides what they mean.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestSupport
import Testing

@testable import FileWatching

@Suite struct GivenBackRecordsTests {
    /// Records are taken as they were read, in order: those given back come once more, before those that follow, wherever the ring
    /// begins anew.
    @Test(arguments: 0..<12) func nothingIsLostOrReceivedTwice(_ run: Int) throws {
        let seed = TestLength.seed(UInt64(run) + 1)
        var random = SeededGenerator(seed: seed)
        let memory = try EventRingTests.Memory()
        let ring = memory.makeRing()
        var stream: [UInt8] = []
        var received = 0
        var number = 1
        for _ in 0..<600 {
            if Bool.random(using: &random), let room = ring.room() {
                var offset = 0
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let record = EventRingTests.record(number, &random)
                    guard offset + record.count <= room.count else { break }
                    number += 1
                    UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyBytes(from: record)
                    offset += record.count
                    stream += record
                }
                ring.noteRead(offset)
                #expect(ring.hasNews, "seed \(seed)")
            }
            let limit = Int.random(in: 512...4_096, using: &random)
            let records = Array(try ring.take(atMost: limit))
            try #require(records == Array(stream[received..<received + records.count]), "seed \(seed)")
            #expect(records.count <= limit, "seed \(seed)")
            var end = 0
            records.withUnsafeBytes { bytes in
                for _ in 0..<Int.random(in: 0...20, using: &random) {
                    if InotifyEvent(in: bytes, at: &end) == nil { break }
                }
            }
            received += end
            // Records that the next process knows of may go, given back or not.
            if Bool.random(using: &random) { ring.release(to: EventRing.start + UInt64(received)) }
            let isAll = received - end + records.count == stream.count
            ring.giveBack(records.count - end)
            #expect(ring.untaken == stream.count - received && ring.hasNews == !isAll, "seed \(seed)")
        }
        #expect(received > 0)
    }
}
