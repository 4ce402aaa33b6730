// Inotify: real events, and records that no kernel would write.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization
import Testing

@Suite struct InotifyTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func events(_ inotify: borrowing Inotify) throws -> [(InotifyEvent, String)] {
        var found: [(InotifyEvent, String)] = []
        let queued = try inotify.queuedBytes()
        try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            let count = try inotify.read(into: buffer)
            #expect(count == queued)
            var offset = 0
            let filled = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while let event = InotifyEvent(in: filled, at: &offset) {
                let name = filled[event.nameOffset..<event.nameOffset + event.nameLength]
                found.append((event, String(decoding: name, as: UTF8.self)))
            }
            #expect(offset == count)
        }
        return found
    }

    @Test func eventsAreThereBeforeTheCallReturns() throws {
        let inotify = try Inotify()
        let watch = try inotify.addWatch(
            on: scratch.number, mask: [.create, .movedFrom, .movedTo, .delete, .onlyDirectories])
        #expect(try inotify.addWatch(on: scratch.number, mask: [.create, .addToMask]) == watch)
        #expect(try inotify.queuedBytes() == 0)
        try scratch.write("a", "")
        try Entry.rename("a", in: scratch.number, to: "a name of some length", in: scratch.number)
        try Directory.make("d", in: scratch.number, mode: 0o755)
        let found = try events(inotify)
        #expect(found.map(\.1) == ["a", "a", "a name of some length", "d"])
        #expect(found.map(\.0.mask) == [.create, .movedFrom, .movedTo, [.create, .isDirectory]])
        #expect(found[1].0.cookie == found[2].0.cookie && found[1].0.cookie != 0)
        #expect(found.allSatisfy { $0.0.watch == watch })
        try inotify.removeWatch(watch)
        #expect(try events(inotify).map(\.0.mask) == [.ignored])
        #expect(throws: SystemError.invalid) { try inotify.removeWatch(watch) }
        #expect(try events(inotify).isEmpty)
    }

    @Test func aBufferThatIsTooSmallIsInvalid() throws {
        let inotify = try Inotify()
        _ = try inotify.addWatch(on: scratch.number, mask: .create)
        try scratch.write("a", "")
        #expect(throws: SystemError.invalid) {
            try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { _ = try inotify.read(into: $0) }
        }
    }

    @Test func recordsThatDoNotFitAreNotRead() {
        func count(_ bytes: [UInt8]) -> Int {
            var offset = 0
            var count = 0
            bytes.withUnsafeBytes { while InotifyEvent(in: $0, at: &offset) != nil { count += 1 } }
            return count
        }
        let header = [UInt8](repeating: 0, count: 12)
        #expect(count([]) == 0)
        #expect(count(header) == 0)
        #expect(count(header + [0, 0, 0, 0]) == 1)
        #expect(count(header + [1, 0, 0, 0]) == 0)
        #expect(count(header + [255, 255, 255, 255]) == 0)
        var offset = 0
        (header + [2, 0, 0, 0, 97, 97]).withUnsafeBytes {
            #expect(InotifyEvent(in: $0, at: &offset)?.nameLength == 0)
        }
    }

    @Test func theReadinessThreadWakesOnceForEachTime() throws {
        let inotify = try Inotify()
        _ = try inotify.addWatch(on: scratch.number, mask: .create)
        let counter = Counter()
        let thread = try ReadinessThread(descriptor: inotify.number) { counter.add() }
        try scratch.write("a", "")
        counter.wait(for: 1)
        // Not armed: more events wake no thread, and stopping finds the count as it was.
        try scratch.write("b", "")
        _ = try events(inotify)
        thread.arm()
        try scratch.write("c", "")
        counter.wait(for: 2)
        thread.stop()
        #expect(counter.value == 2)
    }
}

/// Counts, and lets one thread wait for a count.
private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func add() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    func wait(for expected: Int) { while value < expected { sched_yield() } }
}
