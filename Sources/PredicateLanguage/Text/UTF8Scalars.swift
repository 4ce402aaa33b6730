// Scalars of bytes that may be UTF-8.
// SPDX-License-Identifier: Apache-2.0

/// Reads scalars from bytes that need not be valid UTF-8, such as file names.
enum UTF8Scalars {
    /// The scalar that begins at `index`, and its length; nil where the bytes there are not UTF-8 (Unicode 15, table
    /// 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
    static func decode(_ bytes: UnsafeRawBufferPointer, at index: Int) -> (scalar: UInt32, length: Int)? {
        let first = bytes[index]
        if first < 0x80 { return (UInt32(first), 1) }
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        var scalar: UInt32
        switch first {
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF:
            (length, scalar) = (3, UInt32(first & 0x0F))
            if first == 0xE0 { low = 0xA0 }
            if first == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            (length, scalar) = (4, UInt32(first & 0x07))
            if first == 0xF0 { low = 0x90 }
            if first == 0xF4 { high = 0x8F }
        default: return nil
        }
        guard index + length <= bytes.count else { return nil }
        for offset in 1..<length {
            let byte = bytes[index + offset]
            guard byte >= low, byte <= high else { return nil }
            (low, high) = (0x80, 0xBF)
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        return (scalar, length)
    }

    /// The number of bytes of the character at `index`; 1 where it is not UTF-8.
    static func length(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        bytes[index] < 0x80 ? 1 : decode(bytes, at: index)?.length ?? 1
    }

    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] >= 0x80 { return false }
            index += 1
        }
        return true
    }

    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { firstInvalid(bytes) == nil }

    /// The place of the first byte that is not UTF-8.
    static func firstInvalid(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if isASCII(bytes) { return nil }
        var index = 0
        while index < bytes.count {
            guard let (_, length) = decode(bytes, at: index) else { return index }
            index += length
        }
        return nil
    }

    /// Returns UTF-8 in which a scalar for private use stands for each byte that is not UTF-8: U+10FF00 and the byte. Equal bytes
    /// have equal scalars, and these have no other case and take no marks.
    static func withPrivateScalars(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        replacingInvalid(bytes) { 0x10FF00 + UInt32($0) }
    }

    /// Returns UTF-8 in which a scalar stands for each byte that is not UTF-8.
    static func replacingInvalid(_ bytes: UnsafeRawBufferPointer, by scalar: (UInt8) -> UInt32) -> [UInt8] {
        var replaced: [UInt8] = []
        replaced.reserveCapacity(bytes.count + 8)
        var index = 0
        while index < bytes.count {
            if let (_, length) = decode(bytes, at: index) {
                replaced.append(contentsOf: bytes[index..<index + length])
                index += length
            } else {
                append(scalar(bytes[index]), to: &replaced)
                index += 1
            }
        }
        return replaced
    }

    /// Appends a scalar's UTF-8 form.
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case ..<0x80: bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(0xC0 | UInt8(scalar >> 6))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        case ..<0x10000:
            bytes.append(0xE0 | UInt8(scalar >> 12))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        default:
            bytes.append(0xF0 | UInt8(scalar >> 18 & 0x07))
            bytes.append(0x80 | UInt8(scalar >> 12 & 0x3F))
            bytes.append(0x80 | UInt8(scalar >> 6 & 0x3F))
            bytes.append(0x80 | UInt8(scalar & 0x3F))
        }
    }
}
