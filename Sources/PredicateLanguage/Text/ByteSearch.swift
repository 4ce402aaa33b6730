// Compares and finds bytes.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Compares and finds raw bytes with libc.
enum ByteSearch {
    static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
    }

    static func hasPrefix(_ text: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
        prefix.count <= text.count && isEqual(UnsafeRawBufferPointer(rebasing: text[..<prefix.count]), prefix)
    }

    static func hasSuffix(_ text: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer) -> Bool {
        suffix.count <= text.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[(text.count - suffix.count)...]), suffix)
    }

    /// The first place at or after `start` where `needle` begins; `start` itself for an empty needle. Complexity: at
    /// worst the product of the two lengths, which is small for file names. Swift's Glibc module does not have
    /// `memmem(3)`.
    static func find(_ needle: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard start + needle.count <= text.count else { return nil }
        guard let base = text.baseAddress, let pattern = needle.baseAddress, !needle.isEmpty else { return start }
        let first = Int32(needle[0])
        var place = start
        let last = text.count - needle.count
        while place <= last, let hit = memchr(base + place, first, last - place + 1) {
            place = UnsafeRawPointer(hit) - base
            if memcmp(base + place, pattern, needle.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    /// The order by bytes, which for UTF-8 is the order of code points: below zero, zero or above.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}
