// Stepping over a value of any shape, checked in full and without recursion.
// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Checks the value that comes next, steps over it, and tells where it lies. Iterative: nesting costs a bit each.
    @discardableResult
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        skipWhitespace()
        let start = position
        let outerDepth = depth
        // One bit for each container opened here, the innermost lowest: 1 for an object. 128 bits are enough for
        // `maximumDepth`.
        var isObject: UInt128 = 0
        while true {
            switch try peek() {
            case .string: _ = try scanString()
            case .number: _ = try scanNumber()
            case .null: try literal("null")
            case .boolean: try literal(byte(at: position) == UInt8(ascii: "t") ? "true" : "false")
            case .object:
                try beginObject()
                isObject = isObject << 1 | 1
            case .array:
                try beginArray()
                isObject = isObject << 1
            }
            while depth > outerDepth {
                if isObject & 1 == 1 ? try skipKey() : try nextElement() { break }
                isObject >>= 1
            }
            if depth == outerDepth { return start..<position }
        }
    }

    /// Checks the value that comes next, steps over it, and returns a copy of its bytes.
    package mutating func copyValue() throws(JSONError) -> [UInt8] {
        let range = try skipValue()
        return Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// Skips the next key without decoding it. Returns false at the end of the object.
    private mutating func skipKey() throws(JSONError) -> Bool {
        guard try advance(closing: UInt8(ascii: "}")) else { return false }
        guard position < count, byte(at: position) == UInt8(ascii: "\"") else { throw unexpected(at: position) }
        _ = try scanString()
        skipWhitespace()
        guard position < count, byte(at: position) == UInt8(ascii: ":") else { throw unexpected(at: position) }
        position += 1
        return true
    }
}
