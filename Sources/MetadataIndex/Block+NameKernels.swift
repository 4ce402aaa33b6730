// Scans of the names of a block.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    /// Keeps the rows whose names begin or end with the literal, or are it. Up to eight bytes are compared as one number;
    /// a longer literal's rest only where its first eight bytes stand.
    func keepNames(_ bits: inout BlockBitmap, _ literal: UnsafeRawBufferPointer, atEnd: Bool, whole: Bool) {
        let count = literal.count
        let head = min(count, 8)
        var wanted: UInt64 = 0
        for byte in 0..<head { wanted |= UInt64(literal[byte]) << UInt64(byte * 8) }
        let mask: UInt64 = head == 8 ? .max : 1 << UInt64(head * 8) - 1
        let names = UnsafeRawPointer(header.pointee.names)
        let end = header.pointee.nameEnd
        let name = name
        let rest = UnsafeRawBufferPointer(rebasing: literal[head...])
        bits.filterInline { place in
            let packed = name[place]
            let length = Int(packed & 0xFF)
            if whole ? length != count : length < count { return false }
            let offset = Int(packed >> 8) + (atEnd ? length - count : 0)
            if offset + 8 <= end {
                let bytes = UInt64(littleEndian: names.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                if bytes & mask != wanted { return false }
                return count <= 8
                    || compareBytes(
                        UnsafeRawBufferPointer(start: names + offset + 8, count: count - 8), rest) == 0
            }
            return compareBytes(UnsafeRawBufferPointer(start: names + offset, count: count), literal) == 0
        }
    }

    /// Keeps the rows whose names contain the literal: a search through the bytes of all names, whose hits lead back to
    /// rows. Where names stand in the order of their rows, a row is found by halving; else each row looks whether a hit
    /// lies in its name.
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
            bits.filterInline { place in
                let start = name[place] >> 8
                let length = Int(name[place] & 0xFF)
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
            let end = Int(name[low] >> 8) + Int(name[low] & 0xFF)
            if hit + count <= end { found[low] = true }
        }
        found.formIntersection(asked)
        bits = found
    }
}

extension BlockBitmap {
    /// Keeps the places in it for which `body` holds; others are not asked.
    @inline(__always)
    mutating func filterInline(_ body: (Int) -> Bool) {
        for word in 0..<64 {
            var rest = words[word]
            if rest == 0 { continue }
            var found: UInt64 = 0
            while rest != 0 {
                let place = rest.trailingZeroBitCount
                found |= (body(word << 6 | place) ? 1 : 0) << UInt64(place)
                rest &= rest &- 1
            }
            words[word] = found
        }
    }
}
