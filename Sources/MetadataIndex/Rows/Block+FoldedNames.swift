// Scans for names that may have a literal once their case and accents are dropped.
// SPDX-License-Identifier: Apache-2.0

extension Block {
    private static let lowered: UInt64 = 0x2020_2020_2020_2020
    private static let beyondASCII: UInt64 = 0x8080_8080_8080_8080

    /// Keeps at least the rows whose folded names begin with, end with or equal the literal. Eight bytes at that end are
    /// compared without the ASCII case bit. A name with other than ASCII bytes there is kept as a candidate.
    func keepCandidates(_ bits: inout BlockBitmap, _ literal: UnsafeRawBufferPointer, atEnd: Bool) {
        let count = literal.count
        let names = UnsafeRawPointer(header.pointee.names)
        let end = header.pointee.nameEnd
        let name = name
        let looked = min(count, 8)
        let mask: UInt64 = looked == 8 ? .max : 1 << UInt64(looked * 8) - 1
        var wanted: UInt64 = 0
        for byte in 0..<looked {
            wanted |= UInt64(literal[atEnd ? count - looked + byte : byte] | 0x20) << UInt64(byte * 8)
        }
        bits.filterNames { place in
            let packed = name[place]
            let length = length(ofName: packed)
            let start = Int(packed >> 8)
            // A shorter name can match only if folding its non-ASCII characters makes it longer.
            guard length >= count else { return isBeyondASCII(names + start, length) }
            let offset = start + (atEnd ? length - looked : 0)
            if offset + 8 > end { return true }
            let bytes = UInt64(littleEndian: (names + offset).loadUnaligned(as: UInt64.self)) & mask
            return bytes & Block.beyondASCII != 0 || bytes | (Block.lowered & mask) == wanted
        }
    }

    /// Keeps at least the rows whose folded names contain the literal: names that contain it but for ASCII case, and names
    /// with other than ASCII bytes. One search passes over the bytes of all names.
    func keepCandidates(_ bits: inout BlockBitmap, containing literal: UnsafeRawBufferPointer) {
        let names = UnsafeRawPointer(header.pointee.names)
        let search = FoldedSearch(literal)
        let name = name
        guard header.pointee.namesInOrder else {
            return bits.filterNames { place in
                let packed = name[place]
                let start = Int(packed >> 8)
                return search.next(in: names, from: start, to: start + length(ofName: packed)) != nil
            }
        }
        let used = header.pointee.used
        let end = header.pointee.nameEnd
        var found = BlockBitmap()
        var low = 0
        var at = 0
        while let hit = search.next(in: names, from: at, to: end) {
            // The last row that starts at or before the hit, looked for in steps that double: hits ascend.
            var step = 1
            while low + step < used, Int(name[low + step] >> 8) <= hit { step *= 2 }
            var high = min(low + step, used)
            low += step / 2
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(name[middle] >> 8) <= hit { low = middle } else { high = middle }
            }
            let nameEnd = Int(name[low] >> 8) + length(ofName: name[low])
            // A hit that reaches from one name into the next lies in neither; a byte beyond ASCII lies in its own name.
            if hit + search.length(ofHit: names + hit) <= nameEnd {
                found[low] = true
                at = max(hit + 1, nameEnd)
            } else {
                at = hit + 1
            }
        }
        found.formIntersection(bits)
        bits = found
    }

    private func isBeyondASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        for byte in UnsafeRawBufferPointer(start: start, count: count) where byte >= 0x80 { return true }
        return false
    }
}

/// Finds where a literal stands but for the case of ASCII letters, or a byte that is not ASCII.
struct FoldedSearch {
    let needle: UnsafeRawBufferPointer
    private let first: SIMD16<UInt8>
    private let last: SIMD16<UInt8>

    /// A search for `needle`, which is not empty, is ASCII in lower case, and outlives the search.
    init(_ needle: UnsafeRawBufferPointer) {
        self.needle = needle
        first = SIMD16(repeating: needle[0] | 0x20)
        last = SIMD16(repeating: needle[needle.count - 1] | 0x20)
    }

    /// How many bytes the hit at a place takes.
    @inline(__always)
    func length(ofHit place: UnsafeRawPointer) -> Int {
        place.load(as: UInt8.self) >= 0x80 ? 1 : needle.count
    }

    /// The first hit in `base[start..<end]`.
    @inline(__always)
    func next(in base: UnsafeRawPointer, from start: Int, to end: Int) -> Int? {
        let caseBit = SIMD16<UInt8>(repeating: 0x20)
        let zero = SIMD16<Int8>(repeating: 0)
        let count = needle.count
        var at = start
        while at + count + 15 <= end {
            let heads = base.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self)
            let tails = base.loadUnaligned(fromByteOffset: at + count - 1, as: SIMD16<UInt8>.self)
            let both = ((heads | caseBit) .== first) .& ((tails | caseBit) .== last)
            let beyond = unsafeBitCast(heads, to: SIMD16<Int8>.self) .< zero
            let halves = unsafeBitCast(both .| beyond, to: SIMD2<UInt64>.self)
            if halves[0] | halves[1] != 0 {
                if let hit = first(halves[0], base, at) ?? first(halves[1], base, at + 8) { return hit }
            }
            at += 16
        }
        while at < end {
            if isHit(base, at, end) { return at }
            at += 1
        }
        return nil
    }

    @inline(__always)
    private func first(_ mask: UInt64, _ base: UnsafeRawPointer, _ at: Int) -> Int? {
        var mask = mask
        while mask != 0 {
            let place = at + mask.trailingZeroBitCount >> 3
            if isHit(base, place, .max) { return place }
            mask &= ~(0xFF << UInt64((place - at) * 8))
        }
        return nil
    }

    @inline(__always)
    private func isHit(_ base: UnsafeRawPointer, _ place: Int, _ end: Int) -> Bool {
        if base.load(fromByteOffset: place, as: UInt8.self) >= 0x80 { return true }
        guard place <= end - needle.count else { return false }
        for index in 0..<needle.count {
            let byte = base.load(fromByteOffset: place + index, as: UInt8.self)
            let isLetter = byte &- UInt8(ascii: "A") < 26
            if (isLetter ? byte | 0x20 : byte) != needle[index] { return false }
        }
        return true
    }
}
