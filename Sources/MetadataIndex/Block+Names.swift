// The names of a block's rows.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    @inline(__always)
    func nameBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let packed = name[slot]
        return UnsafeRawBufferPointer(
            start: header.pointee.names + Int(packed >> 8), count: Int(packed & 0xFF))
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
        if replacing { header.pointee.liveNameBytes -= Int(name[slot] & 0xFF) }
        var old: Unmanaged<NameArena>?
        if header.pointee.nameEnd + bytes.count > header.pointee.nameRoom {
            old = header.pointee.arena
            makeRoom(bytes.count, except: replacing ? slot : -1)
        }
        let end = header.pointee.nameEnd
        (header.pointee.names + end).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        name[slot] = UInt32(truncatingIfNeeded: end << 8 | bytes.count)
        mark(slot, UnsafeRawBufferPointer(start: header.pointee.names + end, count: bytes.count))
        header.pointee.nameEnd = end + bytes.count
        header.pointee.liveNameBytes += bytes.count
        if slot <= header.pointee.lastNamed { header.pointee.namesInOrder = false }
        header.pointee.lastNamed = slot
        old?.release()
    }

    /// Forgets the name of a row that ends; its bytes are garbage from now on.
    func dropName(_ slot: Int) { header.pointee.liveNameBytes -= Int(name[slot] & 0xFF) }

    /// Ends growth by guess once every slot of the block was given out.
    func trimNames() {
        let end = header.pointee.nameEnd
        guard header.pointee.nameRoom - end > end / 32 else { return }
        let old = header.pointee.arena
        adopt(NameArena(capacity: end + end / 64), end: end)
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
                name[slot] = UInt32(truncatingIfNeeded: end << 8)
                continue
            }
            let bytes = nameBytes(slot)
            if bytes.count > 0 {
                (new.bytes + end).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
            }
            name[slot] = UInt32(truncatingIfNeeded: end << 8 | bytes.count)
            end += bytes.count
        }
        setArena(new)
        header.pointee.nameEnd = end
        // Empty slots stand where the next name is going to: only one behind them all keeps the order.
        header.pointee.lastNamed = header.pointee.used - 1
        header.pointee.namesInOrder = true
    }
}
