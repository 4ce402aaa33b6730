// The running kernel, where an event loop reads for the watcher.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Testing

@Suite struct LinuxKernelTests {
    private func read(_ kernel: LinuxKernel) throws -> [UInt8] {
        Array(try kernel.readEvents(atMost: 4_096))
    }

    @Test func `Events that the event loop has read are taken as they came, and count as queued until then`() throws {
        let directory = TemporaryDirectory()
        let kernel = try LinuxKernel()
        let opened = try Directory.open(directory.path, access: .reading)
        _ = try kernel.addWatch(on: opened.number, mask: .create)
        let reader = try kernel.handOver()
        directory.write("first")
        directory.write("second")
        let queued = try kernel.queuedBytes()
        #expect(queued > 0)
        // Only the loop reads.
        let none = try read(kernel)
        #expect(none.isEmpty)

        var records = [UInt8](repeating: 0, count: 4_096)
        let count = try records.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(count == queued)
        for part in [records[..<(count / 2)], records[(count / 2)..<count]] {
            Array(part).withUnsafeBytes { kernel.hold($0) }
        }
        let held = try kernel.queuedBytes()
        #expect(held == queued)
        let taken = try read(kernel)
        #expect(taken == Array(records[..<count]))
        let left = try kernel.queuedBytes()
        #expect(left == 0)
    }

    @Test func `Reading that was taken back gives what is held first, and goes to the loop again`() throws {
        let directory = TemporaryDirectory()
        let kernel = try LinuxKernel()
        let opened = try Directory.open(directory.path, access: .reading)
        _ = try kernel.addWatch(on: opened.number, mask: .create)
        let reader = try kernel.handOver()
        func loopReads() throws -> [UInt8] {
            var records = [UInt8](repeating: 0, count: 4_096)
            let count = try records.withUnsafeMutableBytes { try reader.read(into: $0) }
            records[..<count].withUnsafeBytes { kernel.hold($0) }
            return Array(records[..<count])
        }
        directory.write("first")
        let first = try loopReads()
        directory.write("second")
        let next = try kernel.takeBack()
        #expect(next.number != reader.number && next.number != kernel.descriptor)
        let held = try read(kernel)
        #expect(held == first)
        let second = try read(kernel)
        #expect(second.count == first.count && second != first)

        directory.write("third")
        kernel.handOverAgain()
        let none = try read(kernel)
        #expect(none.isEmpty)
        let third = try loopReads()
        let taken = try read(kernel)
        #expect(taken == third && !third.isEmpty)
    }

    @Test func `Events that do not fit are taken in whole records`() throws {
        let directory = TemporaryDirectory()
        let kernel = try LinuxKernel()
        let opened = try Directory.open(directory.path, access: .reading)
        _ = try kernel.addWatch(on: opened.number, mask: .create)
        let reader = try kernel.handOver()
        let names = (0..<50).map { "file\($0)" + String(repeating: "x", count: $0) }
        for name in names { directory.write(name) }
        var records = [UInt8](repeating: 0, count: 65_536)
        let count = try records.withUnsafeMutableBytes { try reader.read(into: $0) }
        Array(records[..<count]).withUnsafeBytes { kernel.hold($0) }

        var found: [String] = []
        while kernel.holdsEvents {
            let records = try kernel.readEvents(atMost: 300)
            #expect(!records.isEmpty && records.count <= 300)
            var end = 0
            while let event = InotifyEvent(in: records, at: &end) {
                found.append(String(decoding: event.name(in: records), as: UTF8.self))
            }
            #expect(end == records.count)
        }
        #expect(found == names)
        // A record for which there is no room at all is an error, as for read(2), and is kept.
        directory.write(String(repeating: "y", count: 200))
        let more = try records.withUnsafeMutableBytes { try reader.read(into: $0) }
        records[..<more].withUnsafeBytes { kernel.hold($0) }
        #expect(throws: SystemError.invalid) {
            try kernel.readEvents(atMost: 100)
        }
        #expect(kernel.holdsEvents)
    }
    @Test func `Events given back are taken again, with those that follow, and are no news`() throws {
        let directory = TemporaryDirectory()
        let kernel = try LinuxKernel()
        let opened = try Directory.open(directory.path, access: .reading)
        _ = try kernel.addWatch(on: opened.number, mask: .create)
        directory.write("first")
        directory.write("second")
        let both = try read(kernel)
        #expect(both.count == 64)
        kernel.giveBack(32)
        #expect(!kernel.holdsEvents)
        let queued = try kernel.queuedBytes()
        #expect(queued == 32)
        let again = try read(kernel)
        #expect(again == Array(both[32...]))
        kernel.giveBack(32)
        directory.write("third")
        let more = try read(kernel)
        #expect(more.count == 64 && more[..<32] == both[32...])
    }

    /// Records of a name each, until there is no room for more. Returns the bytes that were held.
    private func fill(_ kernel: LinuxKernel) throws -> Int {
        let name = [UInt8](repeating: UInt8(ascii: "n"), count: 15) + [0]
        let words: [UInt32] = [1, InotifyMask.create.rawValue, 0, 16]
        let record = words.withUnsafeBytes { Array($0) } + name
        let records = Array(repeating: record, count: 2_048).flatMap(\.self)
        var held = 0
        while true {
            records.withUnsafeBytes { kernel.hold($0) }
            let queued = try kernel.queuedBytes()
            guard queued - held == records.count else { return held }
            held = queued
        }
    }

    /// Takes all held records. Returns the bytes before the first overflow, those behind it, and the number of overflows.
    private func takeAll(_ kernel: LinuxKernel) throws -> (before: Int, behind: Int, overflows: Int) {
        var (before, behind, overflows) = (0, 0, 0)
        while kernel.holdsEvents {
            let bytes = try kernel.readEvents(atMost: 65_536)
            var end = 0
            while true {
                let start = end
                guard let event = InotifyEvent(in: bytes, at: &end) else { break }
                if event.mask.contains(.overflow) {
                    overflows += 1
                } else if overflows == 0 {
                    before += end - start
                } else {
                    behind += end - start
                }
            }
        }
        return (before, behind, overflows)
    }

    @Test func `Without room the loop reads nothing, and records that it reads all the same are missed`() throws {
        let kernel = try LinuxKernel()
        _ = try kernel.handOver()
        #expect(kernel.hasRoom)
        let held = try fill(kernel)
        #expect(held > 0 && !kernel.hasRoom)
        // The record of the overflow counts as queued.
        let queued = try kernel.queuedBytes()
        #expect(queued == held + InotifyEvent.headerSize)
        let taken = try takeAll(kernel)
        #expect(taken == (held, 0, 1) && kernel.hasRoom)
        let left = try kernel.queuedBytes()
        #expect(left == 0)
    }

    @Test func `An overflow is heard before queued records, behind those that were given back`() throws {
        let directory = TemporaryDirectory()
        let kernel = try LinuxKernel()
        let opened = try Directory.open(directory.path, access: .reading)
        _ = try kernel.addWatch(on: opened.number, mask: .create)
        _ = try kernel.handOver()
        let held = try fill(kernel)
        _ = try kernel.takeBack()
        directory.write("queued")
        var taken = 0
        while taken < held { taken += try kernel.readEvents(atMost: 65_536).count }
        #expect(taken == held)
        kernel.giveBack(32)
        let all = try takeAll(kernel)
        #expect(all == (32, 0, 1))
        let queued = try read(kernel)
        #expect(queued.count == 32, "the queued record comes behind it")
    }
}
