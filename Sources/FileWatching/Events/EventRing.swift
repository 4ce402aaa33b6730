// Events read from inotify and not yet processed, in memory that may outlive the process.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Events in the order in which they were read, in a ring that is mapped twice in a row, so that every read goes into
/// one piece. read(2) writes into the ring itself: an event that left the kernel's queue is either in the ring or was
/// never read. It stays until ``release(to:)`` says that the next process knows its change without it.
///
/// The process may be ended at any instruction, so four words hold the state, each written when its statement is true:
///
/// - `tail`: records before it were processed.
/// - `head`: up to here whole records were read. A read that the kernel has completed before this was written is found
///   all the same: the bytes behind the head are zero, and no record begins with zeros.
/// - `zeroed`: up to here, from the head, that is so. Room is cleared after the tail has left it, and given to read(2) only
///   when this word says so.
/// - `lost`: unprocessed records before it are not in the ring; 0 where none is missing. If processing takes so long
///   that the ring is full, the records go rather than that reading stops. The results of a crawl wait for the stream
///   to be read on, and the oldest record may wait for those. Until all before it is dealt with, the next process
///   compares everything, as after an overflow of the kernel's queue.
///
/// Places are positions in the stream, which never go back. All but the watcher's thread keep off; see ``HandoverMemory``.
package final class EventRing {
    /// Bytes of one read at most: more than any record has.
    package static let usualWindow = 256 << 10
    /// Records begin at multiples of this, as the kernel pads names.
    static let alignment: UInt64 = 16
    /// The first position: there is one before it, for work that no event caused.
    package static let start: UInt64 = 16
    /// Bytes of the four words and their padding.
    package static let headerSize = 32

    /// The memory of the ring, kept alive by this reference if by no other.
    private let memory: AnyObject?
    private let words: UnsafeMutableRawPointer
    private let base: UnsafeMutableRawPointer
    private let capacity: UInt64
    private let window: UInt64
    package private(set) var tail: UInt64
    /// Up to here records were given to the watcher.
    package private(set) var taken: UInt64
    /// Bytes of records that the watcher has given back.
    private var returned = 0
    package private(set) var head: UInt64
    private var zeroed: UInt64
    private var lost: UInt64
    /// The pages of the two mappings, one after the other, that this process has had there, by the bits.
    private var present: [UInt64]
    /// The number of pages within reach of a read that it has not had yet.
    private var absent: Int
    /// A test looks at the memory before each store.
    package var onStore: (() -> Void)?

    /// Bytes of a ring of one process.
    private static let ownSize = 1 << 20

    /// The words and the records of a ring that ends with its process.
    private final class OwnMemory {
        let words = UnsafeMutableRawPointer.allocate(byteCount: EventRing.headerSize, alignment: 8)
        let records: DoubledMemory

        init() throws(SystemError) { records = try DoubledMemory(size: EventRing.ownSize) }

        deinit { words.deallocate() }
    }

    /// A ring in memory of its own, which ends with the process.
    convenience init() throws(SystemError) {
        let memory = try OwnMemory()
        self.init(words: memory.words, base: memory.records.base, capacity: EventRing.ownSize, memory: memory)
    }

    /// A ring in memory that is all zero: `base` is mapped twice, `capacity` bytes, a multiple of the page size, each time.
    package init(
        words: UnsafeMutableRawPointer, base: UnsafeMutableRawPointer, capacity: Int, window: Int = usualWindow,
        memory: AnyObject? = nil
    ) {
        self.memory = memory
        (self.words, self.base, self.capacity, self.window) = (words, base, UInt64(capacity), UInt64(window))
        (tail, taken, head) = (EventRing.start, EventRing.start, EventRing.start)
        (zeroed, lost) = (EventRing.start + self.capacity, 0)
        present = Array(repeating: 0, count: EventRing.words(of: capacity))
        absent = (capacity + window) / EventRing.pageSize
        for (place, value) in [tail, head, zeroed, lost].enumerated() { SharedWord.store(value, to: words + 8 * place) }
    }

    /// Adopts the ring of another process; nil where that is impossible, and then none of it is used. Its unprocessed
    /// records are to be taken again.
    package init?(
        adopting words: UnsafeMutableRawPointer, base: UnsafeMutableRawPointer, capacity: Int,
        window: Int = usualWindow, memory: AnyObject? = nil
    ) {
        self.memory = memory
        (self.words, self.base, self.capacity, self.window) = (words, base, UInt64(capacity), UInt64(window))
        let found = (0..<4).map { SharedWord.load(words + 8 * $0) }
        (tail, taken, head, zeroed, lost) = (found[0], found[0], found[1], found[2], found[3])
        present = Array(repeating: 0, count: EventRing.words(of: capacity))
        absent = (capacity + window) / EventRing.pageSize
        // No daemon reads so much that a sum of these could overflow.
        guard found.allSatisfy({ $0 < 1 << 62 }), tail >= EventRing.start, tail <= head, head <= zeroed,
            zeroed <= tail + self.capacity, found.allSatisfy({ $0 % EventRing.alignment == 0 }),
            EventRing.wholeRecords(in: bytes(tail, head)) == Int(head - tail)
        else { return nil }
        // A read that the end of the process came upon.
        let behind = bytes(head, min(zeroed, head + self.window))
        guard let length = EventRing.wholeRecords(in: behind) else { return nil }
        head += UInt64(length)
        store(head, 1)
    }

    /// Bytes of the whole records that a buffer begins with, up to the first place that is zero; nil where it holds anything
    /// but records.
    private static func wholeRecords(in buffer: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset < buffer.count {
            let start = offset
            // Every record has a mask.
            if buffer.count - start < InotifyEvent.headerSize
                || buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self) == 0
            {
                break
            }
            guard let event = InotifyEvent(in: buffer, at: &offset), offset % Int(alignment) == 0,
                event.watch > 0 || (event.watch == -1 && event.mask.contains(.overflow)),
                // Half a record: the name is not there.
                event.nameLength > 0 || offset - start == InotifyEvent.headerSize,
                event.nameLength == 0 || isName(event.name(in: buffer))
            else { return nil }
        }
        return offset
    }

    /// Whether an entry of a directory may have this name: a look-up of it leads to no other place.
    static func isName(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && !name.contains(UInt8(ascii: "/")) && !name.contains(0)
            && !(name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") })
    }

    /// Whether records went that were not dealt with.
    package var hasLost: Bool { lost > 0 }

    /// Bytes that were read and not taken, or given back.
    package var untaken: Int { Int(head - taken) }

    private func bytes(_ start: UInt64, _ end: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + Int(start % capacity), count: Int(end - start))
    }

    private func store(_ value: UInt64, _ place: Int) {
        onStore?()
        SharedWord.store(value, to: words + 8 * place)
    }

    // MARK: Reading

    /// Whether there is room for the next read.
    package var hasRoom: Bool { taken + capacity - head >= window }

    /// Where the next read goes, to be followed by ``noteRead(_:)``: zeros, in one piece. Nil where records not yet
    /// taken leave no room. A caller that takes them before it reads again never sees that.
    package func room() -> UnsafeMutableRawBufferPointer? {
        if zeroed - head < window {
            if tail + capacity - head < window {
                guard hasRoom else { return nil }
                lost = max(lost, taken)
                store(lost, 3)
                tail = taken
                store(tail, 0)
            }
            clear()
        }
        touch()
        return UnsafeMutableRawBufferPointer(start: base + Int(head % capacity), count: Int(window))
    }

    private static let pageSize = 4_096

    /// Words of bits for the pages of both mappings.
    private static func words(of capacity: Int) -> Int { 2 * capacity / pageSize / 64 + 1 }

    /// Has the pages of the window where read(2) finds them. It takes an event out of the kernel's queue before it copies it, and
    /// a page that is to be fetched then may be refused to a process that is being killed: the event would be nowhere.
    private func touch() {
        guard absent > 0 else { return }
        let start = Int(head % capacity)
        for page in start / EventRing.pageSize...(start + Int(window) - 1) / EventRing.pageSize
        where present[page >> 6] >> UInt64(page & 63) & 1 == 0 {
            present[page >> 6] |= 1 << UInt64(page & 63)
            absent -= 1
            let word = base + page * EventRing.pageSize
            SharedWord.store(SharedWord.load(word), to: word)
        }
    }

    /// Bytes that are cleared at once, so that the kernel finds their pages there.
    private static let cleared: UInt64 = 256 << 10

    private func clear() {
        let end = min(tail + capacity, max(zeroed + EventRing.cleared, head + window))
        onStore?()
        UnsafeMutableRawBufferPointer(start: base + Int(zeroed % capacity), count: Int(end - zeroed))
            .initializeMemory(as: UInt8.self, repeating: 0)
        zeroed = end
        store(zeroed, 2)
    }

    /// So many bytes of whole records were read into ``room()``.
    package func noteRead(_ count: Int) {
        head += UInt64(count)
        store(head, 1)
    }

    /// Takes whole records, `limit` bytes at most; `EINVAL` where the first is longer. They lie in the ring, until the next read.
    package func take(atMost limit: Int) throws(SystemError) -> UnsafeRawBufferPointer {
        let records = bytes(taken, head)
        guard let count = InotifyEvent.byteCount(of: records, fitting: limit) else { throw .invalid }
        (taken, returned) = (taken + UInt64(count), 0)
        return UnsafeRawBufferPointer(rebasing: records[..<count])
    }

    /// Gives back the last bytes taken: they are taken once more, before the next bytes are read.
    package func giveBack(_ count: Int) {
        taken -= UInt64(count)
        returned = count
    }

    /// Whether there is more to take than the bytes given back.
    package var hasNews: Bool { untaken > returned }

    /// Records before a position need not be known any more.
    package func release(to position: UInt64) {
        guard position <= taken else { return }
        if position > tail {
            tail = position
            store(tail, 0)
        }
        if lost > 0, position >= lost {
            lost = 0
            store(lost, 3)
        }
    }

    /// Nothing more is kept: records read from now on are not in the ring.
    package func giveUp() {
        lost = EventRing.everything
        store(lost, 3)
    }

    /// The next records are read elsewhere first: until ``noteRead(copying:)`` they are lost with the process.
    package func expectCopy() { store(EventRing.everything, 3) }

    /// Whole records that were read elsewhere. False where they have no room.
    package func noteRead(copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard let room = room(), bytes.count <= room.count else { return false }
        room.copyMemory(from: bytes)
        noteRead(bytes.count)
        store(lost, 3)
        return true
    }

    /// Nothing had to be copied.
    package func expectNoCopy() { store(lost, 3) }

    /// A position that is never reached.
    private static let everything: UInt64 = 1 << 61
}
