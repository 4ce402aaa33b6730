// Numbers out of bytes, never beyond their end.
// SPDX-License-Identifier: Apache-2.0

/// Reads little-endian numbers one behind the other, and throws where the bytes end. The bytes must outlive it.
struct ByteReader {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    @inline(__always)
    mutating func number<T: FixedWidthInteger>(_ type: T.Type) throws(RestoreError) -> T {
        guard rest.count >= MemoryLayout<T>.size else { throw .truncated }
        let value = T(littleEndian: rest.loadUnaligned(as: T.self))
        rest = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<T>.size...])
        return value
    }

    @inline(__always)
    mutating func bytes(_ count: Int) throws(RestoreError) -> UnsafeRawBufferPointer {
        guard count >= 0, rest.count >= count else { throw .truncated }
        let bytes = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return bytes
    }

    /// A count of things that take so many bytes each at least: more than can follow is refused before anything is
    /// allocated for them.
    mutating func count(of size: Int) throws(RestoreError) -> Int {
        let count = Int(try number(UInt32.self))
        guard count <= rest.count / max(1, size) else { throw .truncated }
        return count
    }

    func end() throws(RestoreError) {
        guard rest.isEmpty else { throw .malformed("bytes after the end") }
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
