// The ring that events are read into: whatever instruction its process is ended at, the next one finds every event.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import FileWatching

@Suite struct EventRingTests {
    /// A ring in memory of its own, with its words behind it, of which copies are made.
    final class Memory {
        static let capacity = 16_384
        static let window = 4_096
        let memory: SharedMemory
        let base: UnsafeMutableRawPointer

        init() throws {
            memory = try SharedMemory(name: "test", size: Memory.capacity + 4_096)
            base = try memory.mapTwice(offset: 0, size: Memory.capacity)
        }

        var words: UnsafeMutableRawPointer { memory.bytes.baseAddress! + Memory.capacity }

        func makeRing() -> EventRing {
            EventRing(words: words, base: base, capacity: Memory.capacity, window: Memory.window)
        }

        func adoptRing() -> EventRing? {
            EventRing(adopting: words, base: base, capacity: Memory.capacity, window: Memory.window)
        }

        /// The memory as it is now, as the next process would find it.
        func copy() throws -> Memory {
            let other = try Memory()
            other.memory.bytes.copyMemory(from: UnsafeRawBufferPointer(memory.bytes))
            return other
        }
    }

    static func record(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let length = Int.random(in: 0..<4, using: &random) == 0 ? 0 : Int.random(in: 1...255, using: &random)
        let padded = length == 0 ? 0 : (length / 16 + 1) * 16
        var bytes: [UInt8] = []
        for word in [UInt32(number), 0x100, 0, UInt32(padded)] { withUnsafeBytes(of: word) { bytes += $0 } }
        bytes += (0..<padded).map { $0 < length ? UInt8(97 + (number + $0) % 26) : 0 }
        return bytes
    }

    static func take(_ ring: EventRing) throws -> [UInt8] { Array(try ring.take(atMost: Memory.capacity)) }

    /// Reads, takes and lets go at random, as the kernel, the watcher and the journal do; before each store the process is
    /// ended, and the state found then is compared with the whole stream.
    @Test(arguments: 0..<12) func nothingIsLostWhereverTheProcessEnds(_ run: Int) throws {
        let seed = TestLength.seed(UInt64(run) + 1)
        var random = SeededGenerator(seed: seed)
        let memory = try Memory()
        let ring = memory.makeRing()
        /// All that the kernel has ever given, and how far it has been let go of at least and at most.
        var stream: [UInt8] = []
        var released = (least: 0, most: 0)
        var ends = 0
        var failure: String?
        func endHere() {
            ends += 1
            guard failure == nil, let copy = try? memory.copy() else { return }
            guard let found = copy.adoptRing() else {
                failure = "what was left was not taken, at \(ends)"
                return
            }
            if found.hasLost { return }
            let start = Int(found.tail - EventRing.start)
            guard released.least <= start, start <= released.most else {
                failure = "it begins at \(start), not within \(released), at \(ends)"
                return
            }
            guard let records = try? EventRingTests.take(found), records == Array(stream[start...]) else {
                failure = "other events than were read, at \(ends)"
                return
            }
            // The next process goes on in it, and may be ended in turn.
            guard let room = found.room(), room.allSatisfy({ $0 == 0 }) else {
                failure = "no room that is zero, at \(ends)"
                return
            }
        }
        ring.onStore = endHere
        var number = 1
        for _ in 0..<150 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                guard let room = ring.room() else { continue }
                #expect(room.allSatisfy { $0 == 0 }, "seed \(seed)")
                var offset = 0
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    let record = EventRingTests.record(number, &random)
                    guard offset + record.count <= room.count else { break }
                    number += 1
                    UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyBytes(from: record)
                    offset += record.count
                    stream += record
                    // The kernel is done with this one, and the process with itself.
                    endHere()
                }
                ring.noteRead(offset)
            case 5..<8: _ = try EventRingTests.take(ring)
            default:
                // Only where a record ends.
                let start = Int(ring.tail - EventRing.start)
                let limit = Int(ring.taken - EventRing.start)
                var end = start
                stream.withUnsafeBytes { bytes in
                    let records = UnsafeRawBufferPointer(rebasing: bytes[..<limit])
                    for _ in 0..<Int.random(in: 1...60, using: &random) {
                        if InotifyEvent(in: records, at: &end) == nil { break }
                    }
                }
                released.most = max(released.most, end)
                ring.release(to: EventRing.start + UInt64(end))
                released.least = max(released.least, end)
            }
            // Records that went where the ring was full.
            let tail = Int(ring.tail - EventRing.start)
            released = (max(released.least, tail), max(released.most, tail))
            if failure != nil { break }
        }
        endHere()
        #expect(failure == nil, "seed \(seed)")
        #expect(ends > 150)
    }

    /// A full ring lets records go and says so; when what waited for them is done it is whole again.
    @Test func aFullRingSaysWhatItLost() throws {
        var random = SeededGenerator(seed: 7)
        let memory = try Memory()
        let ring = memory.makeRing()
        for number in 1...200 {
            let record = EventRingTests.record(number, &random)
            let room = try #require(ring.room())
            room.copyBytes(from: record)
            ring.noteRead(record.count)
            _ = try EventRingTests.take(ring)
        }
        #expect(ring.hasLost)
        #expect(ring.tail > EventRing.start)
        #expect(try #require(memory.adoptRing()).hasLost)
        // Events read before the ring was full are dealt with, and those read since are there.
        ring.release(to: ring.tail)
        #expect(!ring.hasLost)
        #expect(try #require(memory.adoptRing()).hasLost == false)
        // If the events that are read are not taken, there is no room, and nothing is overwritten.
        var count = 0
        while let room = ring.room(), count < 1_000 {
            let record = EventRingTests.record(1, &random)
            room.copyBytes(from: record)
            ring.noteRead(record.count)
            count += 1
        }
        #expect(count < 1_000)
        #expect(try EventRingTests.take(ring).count > Memory.capacity - 2 * Memory.window)
        #expect(ring.room() != nil)
        ring.giveUp()
        #expect(ring.hasLost)
        #expect(try #require(memory.adoptRing()).hasLost)
    }

    /// Bytes that no ring has left are refused, or taken for records that hang together; nothing of them is read beyond.
    @Test func anythingMayBeFound() throws {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        let memory = try Memory()
        let ring = memory.makeRing()
        for number in 1...60 {
            let record = EventRingTests.record(number, &random)
            try #require(ring.room()).copyBytes(from: record)
            ring.noteRead(record.count)
        }
        var taken = 0
        for _ in 0..<2_000 {
            let copy = try memory.copy()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place =
                    Int.random(in: 0..<3, using: &random) == 0
                    ? Memory.capacity + Int.random(in: 0..<32, using: &random)
                    : Int.random(in: 0..<Memory.capacity, using: &random)
                copy.memory.bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            guard let found = copy.adoptRing() else { continue }
            taken += 1
            let records = try EventRingTests.take(found)
            #expect(records.count <= Memory.capacity, "seed \(seed)")
            _ = found.room()
        }
        #expect(taken > 0)
    }
}

extension EventRingTests {
    static func record(named name: String) -> [UInt8] {
        let padded = (name.utf8.count / 16 + 1) * 16
        var bytes: [UInt8] = []
        for word in [1, 0x100, 0, UInt32(padded)] { withUnsafeBytes(of: word) { bytes += $0 } }
        return bytes + Array(name.utf8) + Array(repeating: 0, count: padded - name.utf8.count)
    }

    /// No event names them, and a look there would leave its directory.
    @Test(arguments: [".", "..", "a/b", "/", "../etc"]) func `A name that leads elsewhere is not believed`(
        _ name: String
    ) throws {
        let memory = try Memory()
        let ring = memory.makeRing()
        for name in ["...", ".a", "a"] {
            let record = EventRingTests.record(named: name)
            try #require(ring.room()).copyBytes(from: record)
            ring.noteRead(record.count)
        }
        #expect(memory.adoptRing() != nil)
        let record = EventRingTests.record(named: name)
        try #require(ring.room()).copyBytes(from: record)
        #expect(memory.adoptRing() == nil, "behind the head")
        ring.noteRead(record.count)
        #expect(memory.adoptRing() == nil)
    }

    /// Pages are there in the mapping that read(2) gets, over the end of the first one too: a process that is being killed may be
    /// refused one when the event has left the queue.
    @Test func `The pages to read into are there before`() throws {
        let memory = try Memory()
        var random = SeededGenerator(seed: 3)
        let former = memory.makeRing()
        var ring = former
        for number in 1...400 {
            // As another process has left it: nothing of it is mapped in this one.
            if number == 200 { ring = try #require(memory.adoptRing()) }
            let room = try #require(ring.room())
            let missing = try EventRingTests.missingPages(room)
            #expect(missing == 0, "round \(number)")
            if missing > 0 { return }
            let record = EventRingTests.record(number, &random)
            room.copyBytes(from: record)
            ring.noteRead(record.count)
            _ = try EventRingTests.take(ring)
            ring.release(to: ring.taken)
            if number == 199 { madvise(memory.base, 2 * Memory.capacity, CInt(MADV_DONTNEED)) }
        }
    }

    /// Pages that are not mapped, by the kernel's table of them (proc_pid_pagemap(5)).
    static func missingPages(_ bytes: UnsafeMutableRawBufferPointer) throws -> Int {
        let table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
        defer { close(table) }
        try #require(table >= 0)
        let first = UInt(bitPattern: bytes.baseAddress) / 4_096
        let last = (UInt(bitPattern: bytes.baseAddress) + UInt(bytes.count) - 1) / 4_096
        var missing = 0
        for page in first...last {
            var word: UInt64 = 0
            try #require(pread(table, &word, 8, Int(page) * 8) == 8)
            if word >> 63 == 0 { missing += 1 }
        }
        return missing
    }
}
