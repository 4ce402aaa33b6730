// The directories among a block's rows, and their first children.
// SPDX-License-Identifier: Apache-2.0

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
