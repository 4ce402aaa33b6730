// 4,096 rows in columns, the unit of sharing and of scans.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

/// Owns the memory of a block.
///
/// `@unchecked Sendable`: a block is written by the owner of the index alone, and only while
/// `isKnownUniquelyReferenced` says that no snapshot holds it (`RowStore.writable`); from then on it is immutable, and the
/// owner goes on with a copy.
final class BlockStorage: @unchecked Sendable {
    let block: Block

    init() { block = Block() }

    /// Takes a block over.
    init(_ block: Block) { self.block = block }

    init(copying other: Block) { block = Block(copying: other) }

    deinit { block.free() }
}

/// 4,096 rows in columns: 71 bytes a row and the names.
///
/// One pointer, which does not keep the memory alive: ``BlockStorage`` does. A view that was obtained for reading must not be
/// used after ``RowStore/writable(_:)`` for the same block, which may have copied it. Nothing here counts references, and
/// nothing is a property of a class: both cost more than the scan itself when measured.
struct Block {
    static let capacity = 4_096
    static let words = capacity / 64
    /// A name's place and length are one number: 24 bits of offset, 8 of length (``Block/length(ofName:)``).
    static let largestArena = 1 << 24

    /// The fields of a block beside its columns.
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
        /// The arena, which the block holds a reference to, and its bytes.
        var arena: Unmanaged<NameArena>
        var names: UnsafeMutableRawPointer
        /// Bytes of names that the arena has room for.
        var nameRoom: Int
        var directories = 0
        var directoryCapacity = 0
        /// The first child of each directory, in the order of the rows; `Row.none` where it has none.
        var firstChildren: UnsafeMutablePointer<UInt32>?
        /// The extended attributes of each row (``XattrTable``); nil as long as none are known.
        var xattrs: UnsafeMutablePointer<UInt32>?
    }

    private let base: UnsafeMutableRawPointer

    @inline(__always)
    private func column<T>(_ offset: Int, _ type: T.Type) -> UnsafeMutablePointer<T> {
        (base + offset * Block.capacity).assumingMemoryBound(to: T.self)
    }

    var size: UnsafeMutablePointer<Int64> { @inline(__always) get { column(0, Int64.self) } }
    var created: UnsafeMutablePointer<Int64> { @inline(__always) get { column(8, Int64.self) } }
    var modified: UnsafeMutablePointer<Int64> { @inline(__always) get { column(16, Int64.self) } }
    var changed: UnsafeMutablePointer<Int64> { @inline(__always) get { column(24, Int64.self) } }
    var inode: UnsafeMutablePointer<UInt64> { @inline(__always) get { column(32, UInt64.self) } }
    /// The directory; in a free slot, the next free slot.
    var parent: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(40, UInt32.self) } }
    var name: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(44, UInt32.self) } }
    var common: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(48, UInt32.self) } }
    var links: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(52, UInt32.self) } }
    var generation: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(56, UInt32.self) } }
    var next: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(60, UInt32.self) } }
    var previous: UnsafeMutablePointer<UInt32> { @inline(__always) get { column(64, UInt32.self) } }
    /// A `FileKind`.
    var kind: UnsafeMutablePointer<UInt8> { @inline(__always) get { column(68, UInt8.self) } }
    /// ``NameMark/head(_:)``.
    var head: UnsafeMutablePointer<UInt8> { @inline(__always) get { column(69, UInt8.self) } }
    /// ``NameMark/tail(_:)``.
    var tail: UnsafeMutablePointer<UInt8> { @inline(__always) get { column(70, UInt8.self) } }

    private static let bitmaps = capacity * 71
    private static let headerOffset = bitmaps + words * (8 + 8 + 2)
    /// Bytes of the columns.
    static let byteCount = headerOffset + MemoryLayout<Header>.stride

    /// A bit for each live row.
    var isLive: UnsafeMutablePointer<UInt64> {
        @inline(__always) get { (base + Block.bitmaps).assumingMemoryBound(to: UInt64.self) }
    }
    /// A bit for each live directory.
    var isDirectory: UnsafeMutablePointer<UInt64> {
        @inline(__always) get { (base + Block.bitmaps + Block.words * 8).assumingMemoryBound(to: UInt64.self) }
    }
    /// How many directories there are before each word of ``isDirectory``.
    var directoriesBefore: UnsafeMutablePointer<UInt16> {
        @inline(__always) get { (base + Block.bitmaps + Block.words * 16).assumingMemoryBound(to: UInt16.self) }
    }
    var header: UnsafeMutablePointer<Header> {
        @inline(__always) get { (base + Block.headerOffset).assumingMemoryBound(to: Header.self) }
    }

    /// Allocates a block that uses `arena`. The caller writes the columns before they are read, unless they are zeroed: a
    /// zeroed page that is never written takes neither time nor memory.
    init(arena: NameArena, isZeroed: Bool = false) {
        // Aligned by 16, as glibc does.
        guard let memory = isZeroed ? calloc(1, Block.byteCount) : malloc(Block.byteCount) else {
            fatalError("out of memory")
        }
        base = memory
        var offset = 0
        for width in [8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 1, 1, 1] {
            switch width {
            case 8: (base + offset).bindMemory(to: Int64.self, capacity: Block.capacity)
            case 4: (base + offset).bindMemory(to: UInt32.self, capacity: Block.capacity)
            default: (base + offset).bindMemory(to: UInt8.self, capacity: Block.capacity)
            }
            offset += width * Block.capacity
        }
        isLive.initialize(repeating: 0, count: Block.words)
        isDirectory.initialize(repeating: 0, count: Block.words)
        directoriesBefore.initialize(repeating: 0, count: Block.words)
        header.initialize(to: Header(arena: .passRetained(arena), names: arena.bytes, nameRoom: arena.capacity))
    }

    /// An empty block.
    init() { self.init(arena: NameArena(capacity: 1_024)) }

    /// Copies a block that a snapshot holds, so that it can be written; the names are shared. Only slots in use are copied, so
    /// a small container pays little.
    init(copying other: Block) {
        self.init(arena: other.header.pointee.arena.takeUnretainedValue())
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
        head.update(from: other.head, count: used)
        tail.update(from: other.tail, count: used)
        isLive.update(from: other.isLive, count: Block.words)
        isDirectory.update(from: other.isDirectory, count: Block.words)
        directoriesBefore.update(from: other.directoriesBefore, count: Block.words)
        if let children = other.header.pointee.firstChildren {
            let copy = UnsafeMutablePointer<UInt32>.allocate(capacity: header.pointee.directoryCapacity)
            copy.initialize(from: children, count: header.pointee.directories)
            header.pointee.firstChildren = copy
        }
        if let xattrs = other.header.pointee.xattrs {
            let copy = UnsafeMutablePointer<UInt32>.allocate(capacity: Block.capacity)
            copy.initialize(from: xattrs, count: Block.capacity)
            header.pointee.xattrs = copy
        }
    }

    func free() {
        header.pointee.firstChildren?.deallocate()
        header.pointee.xattrs?.deallocate()
        header.pointee.arena.release()
        Glibc.free(base)
    }

    /// Bytes held; the names too, even where a copy shares them.
    var bytes: Int {
        Block.byteCount + header.pointee.nameRoom + header.pointee.directoryCapacity * 4
            + (header.pointee.xattrs == nil ? 0 : Block.capacity * 4)
    }
}

extension Block {
    @inline(__always)
    func isLive(_ slot: Int) -> Bool { isLive[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    @inline(__always)
    func fileKind(_ slot: Int) -> FileKind {
        FileKind(rawValue: kind[slot]).unsafelyUnwrapped
    }

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
    func xattrs(_ slot: Int) -> UInt32 {
        guard let xattrs = header.pointee.xattrs else { return XattrTable.unknown }
        return xattrs[slot]
    }

    func setXattrs(_ slot: Int, _ xattrs: UInt32) {
        if header.pointee.xattrs == nil {
            if xattrs == XattrTable.unknown { return }
            let column = UnsafeMutablePointer<UInt32>.allocate(capacity: Block.capacity)
            column.initialize(repeating: XattrTable.unknown, count: Block.capacity)
            header.pointee.xattrs = column
        }
        header.pointee.xattrs.unsafelyUnwrapped[slot] = xattrs
    }
}
