// The readers of what another process has left in memory: the state that they take hangs together.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

@testable import FileWatching

enum HandoverTarget: FuzzTarget {
    private static let capacity = 4_096
    private static let window = 1_024

    /// A ring: its words, and as much of its room as there are bytes; and what may stand behind the last number.
    static func test(_ bytes: UnsafeRawBufferPointer) {
        if let state = IterationState(aligned(bytes), sequence: 5) {
            for name in state.names {
                expect(
                    name.name.count <= WatchLimits.nameLength && (name.name.isEmpty || EventRing.isName(name.name)),
                    "a name that is none")
            }
        }
        guard bytes.count >= EventRing.headerSize else { return }
        guard let memory = try? SharedMemory(name: "fuzz", size: 2 * capacity),
            let base = try? memory.mapTwice(offset: 0, size: capacity), let start = memory.bytes.baseAddress
        else { fatalError("no memory") }
        let words = start + capacity
        words.copyMemory(from: bytes.baseAddress!, byteCount: EventRing.headerSize)
        let rest = bytes.dropFirst(EventRing.headerSize).prefix(capacity)
        memory.bytes.copyBytes(from: rest)
        guard let ring = EventRing(adopting: words, base: base, capacity: capacity, window: window) else { return }
        expect(ring.tail <= ring.head && ring.head - ring.tail <= UInt64(capacity), "more than there is room for")
        read(ring)
        // A process that goes on in this memory leaves a ring that the next one can adopt.
        if let room = ring.room() {
            expect(room.count == window, "no window")
            if room.allSatisfy({ $0 == 0 }) {
                expect(
                    EventRing(adopting: words, base: base, capacity: capacity, window: window) != nil, "not found again"
                )
            }
        }
        ring.release(to: ring.taken)
        expect(ring.untaken == 0, "something is left")
    }

    private static func read(_ ring: EventRing) {
        let count = ring.untaken
        guard let records = try? ring.take(atMost: count) else { fatalError("not taken") }
        expect(records.count == count, "not all was taken")
        var offset = 0
        while let event = InotifyEvent(in: records, at: &offset) {
            expect(event.mask.rawValue != 0, "a record of nothing")
        }
        expect(offset == count, "half a record")
    }

    /// Words are read where they may lie, at multiples of their size.
    private static func aligned(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 64), alignment: 8)
        copy.initializeMemory(as: UInt8.self, repeating: 0)
        copy.copyMemory(from: bytes)
        kept.append(copy)
        if kept.count > 1 { kept.removeFirst().deallocate() }
        return UnsafeRawBufferPointer(copy)
    }

    // One thread feeds the targets.
    nonisolated(unsafe) private static var kept: [UnsafeMutableRawBufferPointer] = []
}
