// Scans of the names of a block.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    /// Keeps the rows whose names begin with, end with or equal the literal. The first and the last eight bytes are compared
    /// as integers. The middle of a literal of more than sixteen bytes is compared only where those agree.
    func keepNames(_ bits: inout BlockBitmap, _ literal: UnsafeRawBufferPointer, atEnd: Bool, whole: Bool) {
        let count = literal.count
        let isMarked = count >= NameMark.bytes
        if whole || isMarked && !atEnd { bits.keep(head, equal: NameMark.head(literal)) }
        if whole || isMarked && atEnd { bits.keep(tail, equal: NameMark.tail(literal)) }
        let names = UnsafeRawPointer(header.pointee.names)
        let end = header.pointee.nameEnd
        let name = name
        var first: UInt64 = 0
        for byte in 0..<min(count, 8) { first |= UInt64(literal[byte]) << UInt64(byte * 8) }
        let mask: UInt64 = count >= 8 ? .max : 1 << UInt64(count * 8) - 1
        var tail: UInt64 = 0
        for byte in 0..<min(count, 8) { tail |= UInt64(literal[max(0, count - 8) + byte]) << UInt64(byte * 8) }
        bits.filterNames { place in
            let packed = name[place]
            let length = length(ofName: packed)
            if whole ? length != count : length < count { return false }
            let offset = Int(packed >> 8) + (atEnd ? length - count : 0)
            let start = names + offset
            if offset + 8 > end {
                return compareBytes(UnsafeRawBufferPointer(start: start, count: count), literal) == 0
            }
            let begins = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) & mask == first
            if count <= 8 { return begins }
            if !begins { return false }
            if UInt64(littleEndian: start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)) != tail {
                return false
            }
            return count <= 16 || compareBytes(UnsafeRawBufferPointer(start: start, count: count), literal) == 0
        }
    }

    /// Keeps the rows whose names contain the literal: one search through the bytes of all names, whose hits lead back to
    /// rows. Where names stand in row order, a row is found by binary search; otherwise each row checks whether a hit lies in
    /// its name.
    func keepNames(_ bits: inout BlockBitmap, containing literal: UnsafeRawBufferPointer) {
        let count = literal.count
        let bytes = UnsafeRawBufferPointer(start: header.pointee.names, count: header.pointee.nameEnd)
        let search = ByteSearch(literal)
        let name = name
        guard header.pointee.namesInOrder else {
            var hits: [UInt32] = []
            search.forEach(in: bytes) { hits.append(UInt32(truncatingIfNeeded: $0)) }
            if hits.isEmpty {
                bits = BlockBitmap()
                return
            }
            bits.filterNames { place in
                let start = name[place] >> 8
                let length = length(ofName: name[place])
                var low = 0
                var high = hits.count
                while low < high {
                    let middle = (low + high) / 2
                    if hits[middle] < start { low = middle + 1 } else { high = middle }
                }
                return low < hits.count && Int(hits[low]) + count <= Int(start) + length
            }
            return
        }
        let asked = bits
        var found = BlockBitmap()
        let used = header.pointee.used
        var low = 0
        search.forEach(in: bytes) { hit in
            // The last row that starts at or before the hit; hits ascend, so the rows before the last one are done.
            var high = used
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(name[middle] >> 8) <= hit { low = middle } else { high = middle }
            }
            // The length of the first name may stand before it.
            let start = Int(name[low] >> 8)
            if hit >= start, hit + count <= start + length(ofName: name[low]) { found[low] = true }
        }
        found.formIntersection(asked)
        bits = found
    }
}

extension BlockBitmap {
    /// Keeps the places in it for which `body` holds; others are not asked, as their names may be anywhere. A full word
    /// goes from place to place, which takes a quarter less than going from bit to bit.
    @inline(__always)
    mutating func filterNames(_ body: (Int) -> Bool) {
        for word in 0..<64 {
            let asked = words[word]
            if asked == 0 { continue }
            var found: UInt64 = 0
            if asked == .max {
                for place in 0..<64 where body(word << 6 | place) { found |= 1 << UInt64(place) }
            } else {
                var rest = asked
                while rest != 0 {
                    let place = rest.trailingZeroBitCount
                    // Without a branch, which would be guessed wrong often, and then hold back the loads for the rows
                    // behind it.
                    found |= (body(word << 6 | place) ? 1 : 0) << UInt64(place)
                    rest &= rest &- 1
                }
            }
            words[word] = found
        }
    }
}
