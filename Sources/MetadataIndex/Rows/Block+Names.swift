// The names of a block's rows.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    /// The length in a packed name that stands for this one and longer ones. The arena has their length in the two bytes before
    /// the name, so that rows and scans pay nothing for names that almost no file system has.
    static let longName = 0xFF
    private static let lengthBytes = 2

    /// The length of the name that is packed into a number.
    @inline(__always)
    func length(ofName packed: UInt32) -> Int {
        let length = Int(packed & 0xFF)
        return length < Block.longName ? length : lengthOfLongName(packed)
    }

    @inline(never)
    private func lengthOfLongName(_ packed: UInt32) -> Int {
        let place = header.pointee.names + Int(packed >> 8) - Block.lengthBytes
        return Int(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
    }

    /// The bytes that a name of this length takes in an arena.
    @inline(__always)
    static func storedBytes(ofName length: Int) -> Int { length < longName ? length : lengthBytes + length }

    @inline(__always)
    func nameBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let packed = name[slot]
        return UnsafeRawBufferPointer(start: header.pointee.names + Int(packed >> 8), count: length(ofName: packed))
    }

    /// A name as the arena has it: a long one with its length before it.
    func storedName(_ slot: Int) -> UnsafeRawBufferPointer {
        let bytes = nameBytes(slot)
        let before = Block.storedBytes(ofName: bytes.count) - bytes.count
        guard before > 0, let start = bytes.baseAddress else { return bytes }
        return UnsafeRawBufferPointer(start: start - before, count: bytes.count + before)
    }

    /// Writes a name into an arena, and returns it packed.
    @inline(__always)
    private func store(_ bytes: UnsafeRawBufferPointer, in names: UnsafeMutableRawPointer, at end: Int) -> UInt32 {
        var start = end
        if bytes.count >= Block.longName {
            (names + start).storeBytes(of: UInt16(truncatingIfNeeded: bytes.count).littleEndian, as: UInt16.self)
            start += Block.lengthBytes
        }
        if let source = bytes.baseAddress { (names + start).copyMemory(from: source, byteCount: bytes.count) }
        return Block.packed(start, bytes.count)
    }

    /// A name's place and length as one number.
    @inline(__always)
    static func packed(_ start: Int, _ length: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: start << 8 | min(length, longName))
    }

    /// Notes how a row's name begins and ends.
    @inline(__always)
    func mark(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        head[slot] = NameMark.head(bytes)
        tail[slot] = NameMark.tail(bytes)
    }

    /// Gives a live row a name. The bytes may lie in this arena: they are copied before it is let go.
    @inline(__always)
    func setName(_ slot: Int, _ bytes: UnsafeRawBufferPointer, replacing: Bool) {
        let stored = Block.storedBytes(ofName: bytes.count)
        if replacing { header.pointee.liveNameBytes -= Block.storedBytes(ofName: length(ofName: name[slot])) }
        var old: Unmanaged<NameArena>?
        if header.pointee.nameEnd + stored > header.pointee.nameRoom {
            old = header.pointee.arena
            makeRoom(stored, except: replacing ? slot : -1)
        }
        let end = header.pointee.nameEnd
        name[slot] = store(bytes, in: header.pointee.names, at: end)
        mark(slot, UnsafeRawBufferPointer(start: header.pointee.names + end + stored - bytes.count, count: bytes.count))
        header.pointee.nameEnd = end + stored
        header.pointee.liveNameBytes += stored
        if slot <= header.pointee.lastNamed { header.pointee.namesInOrder = false }
        header.pointee.lastNamed = slot
        old?.release()
    }

    /// Forgets the name of a row that ends; its bytes are garbage from now on.
    func dropName(_ slot: Int) {
        header.pointee.liveNameBytes -= Block.storedBytes(ofName: length(ofName: name[slot]))
    }

    /// Ends growth by guess once every slot of the block was given out.
    func trimNames() {
        let end = header.pointee.nameEnd
        guard header.pointee.nameRoom - end > end / 32 else { return }
        let old = header.pointee.arena
        adopt(NameArena(capacity: min(end + end / 64, Block.largestArena)), end: end)
        old.release()
    }

    /// Puts a larger or tidier arena in the place of the old one, which is the caller's to release.
    private func makeRoom(_ count: Int, except: Int) {
        let needed = header.pointee.nameEnd + count
        if header.pointee.liveNameBytes * 2 < header.pointee.nameEnd || needed > Block.largestArena {
            compact(count, except: except)
            return
        }
        // A block that fills up tells from its first rows how much the rest will take; else a quarter more.
        let used = max(1, header.pointee.used)
        let foreseen = used >= 32 && used < Block.capacity ? needed * Block.capacity / used : 0
        let capacity = max(needed + needed / 4, min(foreseen + foreseen / 32, needed * 4))
        adopt(NameArena(capacity: min(capacity + 64, Block.largestArena)), end: header.pointee.nameEnd)
    }

    private func adopt(_ new: NameArena, end: Int) {
        new.bytes.copyMemory(from: header.pointee.names, byteCount: end)
        setArena(new)
    }

    private func setArena(_ new: NameArena) {
        header.pointee.arena = .passRetained(new)
        header.pointee.names = new.bytes
        header.pointee.nameRoom = new.capacity
    }

    /// Writes the names of live rows into a new arena, in the order of the rows.
    private func compact(_ count: Int, except: Int) {
        let room = header.pointee.liveNameBytes + count
        let new = NameArena(capacity: min(room + room / 4 + 64, Block.largestArena))
        var end = 0
        for slot in 0..<header.pointee.used {
            // A dead row's name must not point at another's, nor beyond the end.
            guard isLive(slot), slot != except else {
                name[slot] = Block.packed(end, 0)
                continue
            }
            let bytes = nameBytes(slot)
            name[slot] = store(bytes, in: new.bytes, at: end)
            end += Block.storedBytes(ofName: bytes.count)
        }
        setArena(new)
        header.pointee.nameEnd = end
        // Empty slots stand where the next name is going to: only one behind them all keeps the order.
        header.pointee.lastNamed = header.pointee.used - 1
        header.pointee.namesInOrder = true
    }
}
