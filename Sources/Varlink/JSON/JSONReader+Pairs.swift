// Objects of one fixed form, read in one go: items come in ten thousands.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension JSONReader {
    /// Reads an object that is, byte for byte, `{"first":"…","second":"…"}` with strings of plain ASCII without escapes. Passes
    /// the second string to `body`. Returns false and consumes nothing if the next value differs. Both names must need no
    /// escaping.
    package mutating func readPlainPair(
        _ first: StaticString, _ second: StaticString, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard depth < JSONReader.maximumDepth else { return false }
        var index = position
        guard skipByte("{", &index), skipPlainEntry(first, &index) != nil, skipByte(",", &index),
            let value = skipPlainEntry(second, &index), skipByte("}", &index)
        else { return false }
        position = index
        isFirst = false
        body(UnsafeRawBufferPointer(start: base + value.lowerBound, count: value.count))
        return true
    }

    @inline(__always)
    private func skipByte(_ wanted: Unicode.Scalar, _ index: inout Int) -> Bool {
        guard index < count, byte(at: index) == UInt8(truncatingIfNeeded: wanted.value) else { return false }
        index &+= 1
        return true
    }

    /// Steps over `"name":"…"` and returns where the string's content lies.
    @inline(__always)
    private func skipPlainEntry(_ name: StaticString, _ index: inout Int) -> Range<Int>? {
        let length = name.utf8CodeUnitCount
        guard skipByte("\"", &index), count - index > length,
            memcmp(base + index, name.utf8Start, length) == 0
        else { return nil }
        index &+= length
        guard skipByte("\"", &index), skipByte(":", &index), skipByte("\"", &index) else { return nil }
        let start = index
        index = JSONText.endOfPlainASCII(base, from: start, to: count)
        let end = index
        return skipByte("\"", &index) ? start..<end : nil
    }
}
