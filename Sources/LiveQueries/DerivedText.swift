// Text that is read out of a name or a path, as every part of the daemon has to read it.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What is read out of names and paths. Whoever writes items uses these too, so that what a predicate sees and what a
/// caller gets are the same.
package enum DerivedText {
    /// The top-level directory that the documents scope lies below.
    package static let documents = "Documents"

    /// What follows the last dot of a name; nil where there is no dot, or nothing behind it.
    package static func fileExtension(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot + 1 < name.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: name[(dot + 1)...])
    }

    /// Whether a name begins with a dot.
    package static func isHidden(_ name: UnsafeRawBufferPointer) -> Bool { name.first == UInt8(ascii: ".") }

    /// How many directories deep a path from the container's root lies: 1 at the top.
    package static func depth(ofPath path: some Sequence<UInt8>) -> Int {
        path.reduce(1) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 }
    }

    /// Whether a path from the container's root lies below its `Documents` directory.
    package static func isInDocuments(_ path: [UInt8]) -> Bool {
        path.count > documents.utf8.count && path.starts(with: documents.utf8)
            && path[documents.utf8.count] == UInt8(ascii: "/")
    }
}

/// Comparing raw bytes, by libc.
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

    static func isEqual(_ a: UnsafeRawBufferPointer, _ b: [UInt8]) -> Bool {
        b.withUnsafeBytes { isEqual(a, $0) }
    }

    static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.withUnsafeBytes { first in b.withUnsafeBytes { isLess(first, $0) } }
    }

    /// Bytewise order, the shorter first where one begins the other.
    static func isLess(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, min(a.count, b.count))
            if order != 0 { return order < 0 }
        }
        return a.count < b.count
    }
}
