// 4,096 rows in columns, the unit of sharing and of scans.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// 4,096 rows in columns: 70 bytes a row and the names.
///
/// `@unchecked Sendable`: a block is written by the owner of the index alone, and only while
/// `isKnownUniquelyReferenced` says that no snapshot holds it (`RowStore.writable`); from then on it is immutable, and the
/// owner goes on with a copy.
final class Block: @unchecked Sendable {
    static let capacity = 4_096
    static let words = capacity / 64
    /// A name's place and length are one number: 24 bits of offset, 8 of length.
    static let largestArena = 1 << 24

    /// What changes beside the columns. It lives in raw memory: a stored property of a class costs an exclusivity check
    /// at each access.
    struct Header {
        /// Slots that were ever given out; those behind were never written.
        var used = 0
        var live = 0
        /// End of the names in the arena.
        var nameEnd = 0
        /// Bytes of names of live rows; the rest up to `nameEnd` is garbage.
        var liveNameBytes = 0
        /// Whether names stand in the order of their rows, so that a place in the arena leads to its row.
        var namesInOrder = true
        /// The last slot that got a name while they were in order.
        var lastNamed = -1
        var names: UnsafeMutableRawPointer
        var directories = 0
        var directoryCapacity = 0
        /// The first child of each directory, in the order of the rows; `Row.none` where it has none.
        var firstChildren: UnsafeMutablePointer<UInt32>?
        /// The tags of each row (``TagTable``); nil as long as none are known.
        var tags: UnsafeMutablePointer<UInt32>?
    }

    let header: UnsafeMutablePointer<Header>
    let size: UnsafeMutablePointer<Int64>
    let created: UnsafeMutablePointer<Int64>
    let modified: UnsafeMutablePointer<Int64>
    let changed: UnsafeMutablePointer<Int64>
    let inode: UnsafeMutablePointer<UInt64>
    /// The directory; in a free slot, the next free slot.
    let parent: UnsafeMutablePointer<UInt32>
    let name: UnsafeMutablePointer<UInt32>
    let common: UnsafeMutablePointer<UInt32>
    let links: UnsafeMutablePointer<UInt32>
    let generation: UnsafeMutablePointer<UInt32>
    let next: UnsafeMutablePointer<UInt32>
    let previous: UnsafeMutablePointer<UInt32>
    let kind: UnsafeMutablePointer<UInt8>
    let flags: UnsafeMutablePointer<UInt8>
    /// A bit for each live row.
    let isLive: UnsafeMutablePointer<UInt64>
    /// A bit for each live directory, and how many there are before each word.
    let isDirectory: UnsafeMutablePointer<UInt64>
    let directoriesBefore: UnsafeMutablePointer<UInt16>
    private(set) var arena: NameArena

    private static let columnBytes = capacity * (5 * 8 + 7 * 4 + 2)
    private static let byteCount = columnBytes + words * (8 + 8 + 2) + MemoryLayout<Header>.stride

    private init(arena: NameArena) {
        self.arena = arena
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Block.byteCount, alignment: 16)
        var offset = 0
        func column<T>(_ type: T.Type, _ count: Int = Block.capacity) -> UnsafeMutablePointer<T> {
            defer { offset += count * MemoryLayout<T>.stride }
            return (memory + offset).bindMemory(to: T.self, capacity: count)
        }
        size = column(Int64.self)
        created = column(Int64.self)
        modified = column(Int64.self)
        changed = column(Int64.self)
        inode = column(UInt64.self)
        parent = column(UInt32.self)
        name = column(UInt32.self)
        common = column(UInt32.self)
        links = column(UInt32.self)
        generation = column(UInt32.self)
        next = column(UInt32.self)
        previous = column(UInt32.self)
        kind = column(UInt8.self)
        flags = column(UInt8.self)
        isLive = column(UInt64.self, Block.words)
        isDirectory = column(UInt64.self, Block.words)
        directoriesBefore = column(UInt16.self, Block.words)
        header = column(Header.self, 1)
        header.initialize(to: Header(names: arena.bytes))
    }

    /// An empty block.
    convenience init() {
        self.init(arena: NameArena(capacity: 1_024))
        isLive.initialize(repeating: 0, count: Block.words)
        isDirectory.initialize(repeating: 0, count: Block.words)
        directoriesBefore.initialize(repeating: 0, count: Block.words)
    }

    /// A copy to be written while a snapshot holds the original; the names are shared. Only what is in use is copied, so a
    /// small container pays little.
    convenience init(copying other: Block) {
        self.init(arena: other.arena)
        let used = other.header.pointee.used
        header.pointee = other.header.pointee
        size.update(from: other.size, count: used)
        created.update(from: other.created, count: used)
        modified.update(from: other.modified, count: used)
        changed.update(from: other.changed, count: used)
        inode.update(from: other.inode, count: used)
        parent.update(from: other.parent, count: used)
        name.update(from: other.name, count: used)
        common.update(from: other.common, count: used)
        links.update(from: other.links, count: used)
        generation.update(from: other.generation, count: used)
        next.update(from: other.next, count: used)
        previous.update(from: other.previous, count: used)
        kind.update(from: other.kind, count: used)
        flags.update(from: other.flags, count: used)
        isLive.update(from: other.isLive, count: Block.words)
        isDirectory.update(from: other.isDirectory, count: Block.words)
        directoriesBefore.update(from: other.directoriesBefore, count: Block.words)
        if let children = other.header.pointee.firstChildren {
            let copy = UnsafeMutablePointer<UInt32>.allocate(capacity: header.pointee.directoryCapacity)
            copy.initialize(from: children, count: header.pointee.directories)
            header.pointee.firstChildren = copy
        }
        if let tags = other.header.pointee.tags {
            let copy = UnsafeMutablePointer<UInt32>.allocate(capacity: Block.capacity)
            copy.initialize(from: tags, count: Block.capacity)
            header.pointee.tags = copy
        }
    }

    deinit {
        header.pointee.firstChildren?.deallocate()
        header.pointee.tags?.deallocate()
        UnsafeMutableRawPointer(size).deallocate()
    }

    /// Bytes held; the names too, even where a copy shares them.
    var bytes: Int {
        Block.byteCount + arena.capacity + header.pointee.directoryCapacity * 4
            + (header.pointee.tags == nil ? 0 : Block.capacity * 4)
    }
}

extension Block {
    /// The bit of rows that lie inside a package.
    static let insidePackage: UInt8 = 1

    @inline(__always)
    func isLive(_ slot: Int) -> Bool { isLive[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    @inline(__always)
    func fileKind(_ slot: Int) -> FileKind { FileKind(rawValue: kind[slot]).unsafelyUnwrapped }

    func values(_ slot: Int) -> RowValues {
        RowValues(
            size: size[slot], created: created[slot], modified: modified[slot], changed: changed[slot],
            inode: inode[slot], common: common[slot], links: links[slot], kind: fileKind(slot))
    }

    @inline(__always)
    func setValues(_ slot: Int, _ values: RowValues) {
        size[slot] = values.size
        created[slot] = values.created
        modified[slot] = values.modified
        changed[slot] = values.changed
        inode[slot] = values.inode
        common[slot] = values.common
        links[slot] = values.links
        kind[slot] = values.kind.rawValue
    }

    @inline(__always)
    func tags(_ slot: Int) -> UInt32 {
        guard let tags = header.pointee.tags else { return TagTable.unknown }
        return tags[slot]
    }

    func setTags(_ slot: Int, _ tags: UInt32) {
        if header.pointee.tags == nil {
            if tags == TagTable.unknown { return }
            let column = UnsafeMutablePointer<UInt32>.allocate(capacity: Block.capacity)
            column.initialize(repeating: TagTable.unknown, count: Block.capacity)
            header.pointee.tags = column
        }
        header.pointee.tags.unsafelyUnwrapped[slot] = tags
    }
}

// MARK: Names

extension Block {
    @inline(__always)
    func nameBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let packed = name[slot]
        return UnsafeRawBufferPointer(
            start: header.pointee.names + Int(packed >> 8), count: Int(packed & 0xFF))
    }

    /// Gives a live row a name. The bytes may lie in this arena: they are copied before it is let go.
    @inline(__always)
    func setName(_ slot: Int, _ bytes: UnsafeRawBufferPointer, replacing: Bool) {
        if replacing { header.pointee.liveNameBytes -= Int(name[slot] & 0xFF) }
        var old: NameArena?
        if header.pointee.nameEnd + bytes.count > arena.capacity {
            old = arena
            makeRoom(bytes.count, except: replacing ? slot : -1)
        }
        let end = header.pointee.nameEnd
        (header.pointee.names + end).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
        name[slot] = UInt32(truncatingIfNeeded: end << 8 | bytes.count)
        header.pointee.nameEnd = end + bytes.count
        header.pointee.liveNameBytes += bytes.count
        if slot <= header.pointee.lastNamed { header.pointee.namesInOrder = false }
        header.pointee.lastNamed = slot
        withExtendedLifetime(old) {}
    }

    /// Forgets the name of a row that ends; its bytes are garbage from now on.
    func dropName(_ slot: Int) { header.pointee.liveNameBytes -= Int(name[slot] & 0xFF) }

    /// Ends growth by guess once every slot of the block was given out.
    func trimNames() {
        let end = header.pointee.nameEnd
        guard arena.capacity - end > end / 32 else { return }
        adopt(NameArena(capacity: end + end / 64))
    }

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
        adopt(NameArena(capacity: min(capacity + 64, Block.largestArena)))
    }

    private func adopt(_ new: NameArena) {
        new.bytes.copyMemory(from: header.pointee.names, byteCount: header.pointee.nameEnd)
        arena = new
        header.pointee.names = new.bytes
    }

    /// Writes the names of live rows into a new arena, in the order of the rows.
    private func compact(_ count: Int, except: Int) {
        let room = header.pointee.liveNameBytes + count
        let new = NameArena(capacity: min(room + room / 4 + 64, Block.largestArena))
        var end = 0
        var last = -1
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
            last = slot
        }
        arena = new
        header.pointee.names = new.bytes
        header.pointee.nameEnd = end
        header.pointee.lastNamed = last
        header.pointee.namesInOrder = true
    }
}

// MARK: Directories

extension Block {
    @inline(__always)
    func isDirectory(_ slot: Int) -> Bool { isDirectory[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    /// The place of a directory among those of the block.
    @inline(__always)
    private func rank(_ slot: Int) -> Int {
        let below = isDirectory[slot >> 6] & (1 << UInt64(slot & 63) &- 1)
        return Int(directoriesBefore[slot >> 6]) + below.nonzeroBitCount
    }

    /// The first child of a directory; `Row.none` where there is none, or the row is no directory.
    @inline(__always)
    func firstChild(_ slot: Int) -> UInt32 {
        guard isDirectory(slot), let children = header.pointee.firstChildren else { return Row.none }
        return children[rank(slot)]
    }

    func setFirstChild(_ slot: Int, _ row: UInt32) {
        header.pointee.firstChildren.unsafelyUnwrapped[rank(slot)] = row
    }

    /// Makes room for the children of a row that becomes a directory.
    func addDirectory(_ slot: Int) {
        let count = header.pointee.directories
        if count == header.pointee.directoryCapacity {
            let capacity = min(Block.capacity, max(16, count + count / 2))
            let wider = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
            if let old = header.pointee.firstChildren {
                wider.initialize(from: old, count: count)
                old.deallocate()
            }
            header.pointee.firstChildren = wider
            header.pointee.directoryCapacity = capacity
        }
        let at = rank(slot)
        let children = header.pointee.firstChildren.unsafelyUnwrapped
        (children + at + 1).update(from: children + at, count: count - at)
        children[at] = Row.none
        isDirectory[slot >> 6] |= 1 << UInt64(slot & 63)
        for word in (slot >> 6) + 1..<max((slot >> 6) + 1, Block.words) { directoriesBefore[word] += 1 }
        header.pointee.directories = count + 1
    }

    /// Takes away the room of a row that is a directory no longer and has no children.
    func removeDirectory(_ slot: Int) {
        let at = rank(slot)
        let children = header.pointee.firstChildren.unsafelyUnwrapped
        let count = header.pointee.directories
        (children + at).update(from: children + at + 1, count: count - at - 1)
        isDirectory[slot >> 6] &= ~(1 << UInt64(slot & 63))
        for word in (slot >> 6) + 1..<max((slot >> 6) + 1, Block.words) { directoriesBefore[word] -= 1 }
        header.pointee.directories = count - 1
    }
}
