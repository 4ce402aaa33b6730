// Byte scans shared by the JSON reader and writer: the next special byte, and UTF-8 validity.
// SPDX-License-Identifier: Apache-2.0

/// Byte scans over JSON string contents.
enum JSONText {
    /// Returns the first index from `start` whose byte is not plain inside a JSON string: a quote, a backslash, a control
    /// character or a byte beyond ASCII; `end` if there is none. Examines sixteen bytes at a time.
    @inline(__always)
    static func endOfPlainASCII(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
        var index = start
        // Their types are written out: where they are inferred, the compiler picks operators that go lane by lane.
        let space = SIMD16<Int8>(repeating: 0x20)
        let quote = SIMD16<Int8>(repeating: 0x22)
        let backslash = SIMD16<Int8>(repeating: 0x5C)
        while index &+ 16 <= end {
            let bytes = base.loadUnaligned(fromByteOffset: index, as: SIMD16<Int8>.self)
            // As signed numbers, bytes beyond ASCII are below the control characters.
            let controls = bytes .< space
            let quotes = bytes .== quote
            let backslashes = bytes .== backslash
            let special = controls .| quotes .| backslashes
            let halves = unsafeBitCast(special, to: SIMD2<UInt64>.self)
            if halves[0] | halves[1] != 0 {
                return halves[0] != 0
                    ? index &+ UInt64(littleEndian: halves[0]).trailingZeroBitCount >> 3
                    : index &+ 8 &+ UInt64(littleEndian: halves[1]).trailingZeroBitCount >> 3
            }
            index &+= 16
        }
        while index &+ 8 <= end {
            let special = specialBytes(UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            if special != 0 { return index &+ special.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < end {
            let byte = base.load(fromByteOffset: index, as: UInt8.self)
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return index }
            index &+= 1
        }
        return end
    }

    /// Marks the special bytes of a word with their top bit. A borrow can mark a byte above the first one wrongly, never below
    /// it, so only the lowest mark is valid ("Bit Twiddling Hacks", hasless).
    @inline(__always)
    static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let control = (word &- (ones &* 0x20)) & ~word
        return (word | control | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & tops
    }

    /// Returns the length of the well-formed UTF-8 sequence of two to four bytes at `index`, or 0. The rule is Unicode, table
    /// 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
    static func lengthOfSequence(_ base: UnsafeRawPointer, at index: Int, to end: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 {
            index + offset < end ? base.load(fromByteOffset: index + offset, as: UInt8.self) : 0
        }
        func continues(_ offset: Int) -> Bool { byte(offset) & 0xC0 == 0x80 }
        let second = byte(1)
        switch byte(0) {
        case 0xC2...0xDF: return continues(1) ? 2 : 0
        case 0xE0: return (0xA0...0xBF).contains(second) && continues(2) ? 3 : 0
        case 0xE1...0xEC, 0xEE...0xEF: return continues(1) && continues(2) ? 3 : 0
        case 0xED: return (0x80...0x9F).contains(second) && continues(2) ? 3 : 0
        case 0xF0: return (0x90...0xBF).contains(second) && continues(2) && continues(3) ? 4 : 0
        case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
        case 0xF4: return (0x80...0x8F).contains(second) && continues(2) && continues(3) ? 4 : 0
        default: return 0
        }
    }

    /// How many bytes at `index`, where no sequence is well formed, one U+FFFD stands for: the longest beginning of a
    /// well-formed sequence, or one (Unicode, "substitution of maximal subparts", as `String(decoding:as:)` does).
    static func lengthOfIllFormed(_ base: UnsafeRawPointer, at index: Int, to end: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 {
            index + offset < end ? base.load(fromByteOffset: index + offset, as: UInt8.self) : 0
        }
        let allowed: ClosedRange<UInt8>
        switch byte(0) {
        case 0xE0: allowed = 0xA0...0xBF
        case 0xE1...0xEC, 0xEE...0xEF, 0xF1...0xF3: allowed = 0x80...0xBF
        case 0xED: allowed = 0x80...0x9F
        case 0xF0: allowed = 0x90...0xBF
        case 0xF4: allowed = 0x80...0x8F
        default: return 1
        }
        guard allowed.contains(byte(1)) else { return 1 }
        return byte(0) >= 0xF0 && byte(2) & 0xC0 == 0x80 ? 3 : 2
    }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
