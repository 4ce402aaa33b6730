// Many rows of a block end at once.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    /// The free slots that a block gives, chained in the order of the rows.
    struct Vacated {
        /// The first of the chain that goes on behind this block.
        var firstFree: UInt32
        /// Slots that ran out of generations, which are not given out again.
        var retired = 0
    }

    /// Whether `gone`, the words of this block, has all that lives here.
    func isAll(_ gone: ArraySlice<UInt64>) -> Bool {
        for word in 0..<Block.words where isLive[word] & ~gone[gone.startIndex + word] != 0 { return false }
        return true
    }

    /// Makes a block that replaces `other`, all of whose rows end: names and values are gone. Only the columns for
    /// generations and free slots are written, so most of its memory is never touched.
    init(emptied other: Block) {
        self.init(arena: NameArena(capacity: 1_024), isZeroed: true)
        let used = other.header.pointee.used
        header.pointee.used = used
        // As after a compaction: the empty slots stand where the next name is going to.
        header.pointee.lastNamed = used - 1
        generation.update(from: other.generation, count: used)
        parent.update(from: other.parent, count: used)
    }

    /// Takes the rows of a block that goes on out of its columns; they are neither linked nor filed any more.
    func drop(_ gone: ArraySlice<UInt64>) {
        dropDirectories(gone)
        for word in 0..<Block.words {
            var bits = gone[gone.startIndex + word]
            header.pointee.live -= bits.nonzeroBitCount
            isLive[word] &= ~bits
            while bits != 0 {
                let slot = word << 6 | bits.trailingZeroBitCount
                dropName(slot)
                header.pointee.xattrs?[slot] = XattrTable.unknown
                bits &= bits &- 1
            }
        }
    }

    private func dropDirectories(_ gone: ArraySlice<UInt64>) {
        guard let children = header.pointee.firstChildren else { return }
        var old = 0
        var kept = 0
        for word in 0..<Block.words {
            directoriesBefore[word] = UInt16(truncatingIfNeeded: kept)
            var bits = isDirectory[word]
            let going = gone[gone.startIndex + word]
            while bits != 0 {
                let bit = bits & (0 &- bits)
                if going & bit == 0 {
                    children[kept] = children[old]
                    kept += 1
                }
                old += 1
                bits &= bits &- 1
            }
            isDirectory[word] &= ~going
        }
        header.pointee.directories = kept
    }

    /// Ends the occupants: their slots get the next generation and are chained before `vacated.firstFree`. `base` is the
    /// first row of the block.
    func free(_ gone: ArraySlice<UInt64>, base: UInt32, generationFloor: UInt32, _ vacated: inout Vacated) {
        for word in (0..<Block.words).reversed() {
            var bits = gone[gone.startIndex + word]
            while bits != 0 {
                let place = 63 - bits.leadingZeroBitCount
                bits &= ~(1 << UInt64(place))
                let slot = word << 6 | place
                if generation[slot] == .max {
                    vacated.retired += 1
                    continue
                }
                generation[slot] = max(generation[slot] + 1, generationFloor)
                parent[slot] = vacated.firstFree
                vacated.firstFree = base + UInt32(truncatingIfNeeded: slot)
            }
        }
    }
}
