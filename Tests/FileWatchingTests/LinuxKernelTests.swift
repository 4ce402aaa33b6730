// The running kernel, where an event loop reads for the watcher.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Testing

@Suite struct LinuxKernelTests {
    private func read(_ kernel: LinuxKernel) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = try bytes.withUnsafeMutableBytes { try kernel.readEvents(into: $0) }
        return Array(bytes[..<count])
    }

    @Test func `What the event loop has read is taken as it came, and counts as queued until then`() throws {
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

    @Test func `What does not fit is taken in whole records`() throws {
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

        var buffer = [UInt8](repeating: 0, count: 300)
        var found: [String] = []
        while kernel.holdsEvents {
            let count = try buffer.withUnsafeMutableBytes { try kernel.readEvents(into: $0) }
            #expect(count > 0)
            var end = 0
            buffer[..<count].withUnsafeBytes { bytes in
                while let event = InotifyEvent(in: bytes, at: &end) {
                    let name = bytes[event.nameOffset..<event.nameOffset + event.nameLength]
                    found.append(String(decoding: name, as: UTF8.self))
                }
            }
            #expect(end == count)
        }
        #expect(found == names)
        // A record for which there is no room at all is an error, as for read(2), and is kept.
        directory.write(String(repeating: "y", count: 200))
        let more = try records.withUnsafeMutableBytes { try reader.read(into: $0) }
        records[..<more].withUnsafeBytes { kernel.hold($0) }
        #expect(throws: SystemError.invalid) {
            try withUnsafeTemporaryAllocation(byteCount: 100, alignment: 8) { _ = try kernel.readEvents(into: $0) }
        }
        #expect(kernel.holdsEvents)
    }
}
