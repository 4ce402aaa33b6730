// Compares and finds bytes.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import MetadataIndex

/// Compares raw bytes with libc.
enum RawBytes {
    static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
    }

    static func hasPrefix(_ text: UnsafeRawBufferPointer, _ literal: UnsafeRawBufferPointer) -> Bool {
        text.count >= literal.count && isEqual(UnsafeRawBufferPointer(rebasing: text[..<literal.count]), literal)
    }

    static func hasSuffix(_ text: UnsafeRawBufferPointer, _ literal: UnsafeRawBufferPointer) -> Bool {
        text.count >= literal.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[(text.count - literal.count)...]), literal)
    }

    static func contains(_ text: UnsafeRawBufferPointer, _ literal: UnsafeRawBufferPointer) -> Bool {
        guard let first = literal.first else { return true }
        var start = 0
        while start + literal.count <= text.count, let base = text.baseAddress {
            guard let hit = memchr(base + start, Int32(first), text.count - literal.count - start + 1) else {
                return false
            }
            let place = UnsafeRawPointer(hit) - base
            if isEqual(UnsafeRawBufferPointer(rebasing: text[place..<place + literal.count]), literal) { return true }
            start = place + 1
        }
        return false
    }

    static func has(_ text: UnsafeRawBufferPointer, _ literal: UnsafeRawBufferPointer, _ match: NameMatch) -> Bool {
        switch match {
        case .equal: isEqual(text, literal)
        case .prefix: hasPrefix(text, literal)
        case .suffix: hasSuffix(text, literal)
        case .infix: contains(text, literal)
        }
    }

    static func isEqual(_ a: UnsafeRawBufferPointer, _ b: [UInt8]) -> Bool {
        b.withUnsafeBytes { isEqual(a, $0) }
    }

    static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.withUnsafeBytes { first in b.withUnsafeBytes { isLess(first, $0) } }
    }

    /// The order by bytes; a prefix comes before the longer text.
    static func isLess(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, min(a.count, b.count))
            if order != 0 { return order < 0 }
        }
        return a.count < b.count
    }
}
