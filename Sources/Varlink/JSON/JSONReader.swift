// A pull reader over the bytes of one JSON text (RFC 8259): nothing is built that the caller does not ask for.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads one JSON text where it lies in memory, value by value, in the caller's order.
///
/// Strict as RFC 8259 has it: UTF-8 only, no byte order mark, no comments, no trailing commas, no lone surrogates. Keys
/// may repeat; a caller that assigns as it reads keeps the last. An object is read with ``beginObject()`` and then
/// ``nextKey()`` until that is false, each key followed by reading or skipping exactly one value; an array alike with
/// ``beginArray()`` and ``nextElement()``. Misuse shows as an error, never as a trap. Each byte is looked at once.
package struct JSONReader: ~Copyable {
    /// How deeply arrays and objects may be nested; no message of ours comes near.
    package static let maximumDepth = 128

    // The bytes stay valid: a reader exists only inside the body of `read` and cannot be copied out of it. That body runs
    // inside the owner's `withUnsafeBytes`. Every access is below `count`.
    let base: UnsafeRawPointer
    let count: Int

    /// The byte that is read next, counted from the start of the text.
    package internal(set) var position = 0

    var depth = 0
    /// Whether the container that was opened last is still at its first entry. One flag serves all depths: when a
    /// nested container closes, its parent has had a value.
    var isFirst = false
    /// Where the last key's content lies; when it held escapes, its text is in `unescapedKey`.
    var keyRange = 0..<0
    var keyHasEscapes = false
    var unescapedKey: [UInt8] = []
    var unescapedString: [UInt8] = []

    init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    /// Reads `bytes` as one JSON text with `body`, which must consume the whole value.
    @discardableResult
    package static func read<Result>(
        _ bytes: UnsafeRawBufferPointer, maximumBytes: Int = .max,
        _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard bytes.count <= maximumBytes else { throw JSONError(.tooLarge(limit: maximumBytes), at: maximumBytes) }
        guard let base = bytes.baseAddress else { throw JSONError(.unexpectedEnd, at: 0) }
        var reader = JSONReader(base: base, count: bytes.count)
        let result = try body(&reader)
        try reader.finish()
        return result
    }

    /// Makes sure that nothing but white space is left.
    mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard position == count else { throw JSONError(.trailingBytes, at: position) }
    }

    @inline(__always)
    func byte(at index: Int) -> UInt8 {
        base.load(fromByteOffset: index, as: UInt8.self)
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < count {
            let byte = byte(at: position)
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    func unexpected(at index: Int) -> JSONError {
        index < count ? JSONError(.unexpectedByte(byte(at: index)), at: index) : JSONError(.unexpectedEnd, at: count)
    }

    // MARK: Types

    /// The type of the value that comes next; nothing is consumed but white space.
    package mutating func peek() throws(JSONError) -> JSONType {
        skipWhitespace()
        guard position < count else { throw JSONError(.unexpectedEnd, at: position) }
        switch byte(at: position) {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw unexpected(at: position)
        }
    }

    mutating func expect(_ type: JSONType) throws(JSONError) {
        let found = try peek()
        guard found == type else { throw JSONError(.typeMismatch(expected: type, found: found), at: position) }
    }

    // MARK: Literals

    /// Reads `null`.
    package mutating func readNull() throws(JSONError) {
        try expect(.null)
        try literal("null")
    }

    /// Consumes `null` if it comes next, and says whether it did.
    package mutating func readNullIfPresent() throws(JSONError) -> Bool {
        guard try peek() == .null else { return false }
        try literal("null")
        return true
    }

    /// Reads `true` or `false`.
    package mutating func readBool() throws(JSONError) -> Bool {
        try expect(.boolean)
        let value = byte(at: position) == UInt8(ascii: "t")
        try literal(value ? "true" : "false")
        return value
    }

    mutating func literal(_ text: StaticString) throws(JSONError) {
        for offset in 0..<text.utf8CodeUnitCount {
            guard position + offset < count, byte(at: position + offset) == text.utf8Start[offset] else {
                throw unexpected(at: position + offset)
            }
        }
        position += text.utf8CodeUnitCount
    }

    // MARK: Containers

    mutating func open(_ type: JSONType) throws(JSONError) {
        try expect(type)
        guard depth < JSONReader.maximumDepth else {
            throw JSONError(.tooDeep(limit: JSONReader.maximumDepth), at: position)
        }
        depth += 1
        position += 1
        isFirst = true
    }

    /// Whether another entry comes: consumes the comma before it, or the bracket that closes the container.
    @inline(__always)
    mutating func advance(closing: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard position < count else { throw JSONError(.unexpectedEnd, at: position) }
        let next = byte(at: position)
        if next == closing {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if isFirst {
            isFirst = false
            return true
        }
        guard next == UInt8(ascii: ",") else { throw unexpected(at: position) }
        position += 1
        skipWhitespace()
        return true
    }

    /// Enters an object.
    package mutating func beginObject() throws(JSONError) { try open(.object) }

    /// Enters an array.
    package mutating func beginArray() throws(JSONError) { try open(.array) }

    /// Moves to the next entry of the array; false, and the array is left, when there is none.
    package mutating func nextElement() throws(JSONError) -> Bool {
        guard try advance(closing: UInt8(ascii: "]")) else { return false }
        guard position < count, byte(at: position) != UInt8(ascii: "]") else { throw unexpected(at: position) }
        return true
    }

    /// Reads the next key of the object; false, and the object is left, when there is none.
    package mutating func nextKey() throws(JSONError) -> Bool {
        guard try advance(closing: UInt8(ascii: "}")) else { return false }
        guard position < count, byte(at: position) == UInt8(ascii: "\"") else { throw unexpected(at: position) }
        (keyRange, keyHasEscapes) = try scanString()
        if keyHasEscapes {
            unescapedKey.removeAll(keepingCapacity: true)
            JSONReader.unescape(base, keyRange, into: &unescapedKey)
        }
        skipWhitespace()
        guard position < count, byte(at: position) == UInt8(ascii: ":") else { throw unexpected(at: position) }
        position += 1
        return true
    }

    /// Whether the key that was read last is `name`.
    package func keyIs(_ name: StaticString) -> Bool {
        if keyHasEscapes {
            return unescapedKey.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
        return keyRange.count == name.utf8CodeUnitCount
            && memcmp(base + keyRange.lowerBound, name.utf8Start, keyRange.count) == 0
    }

    /// The key that was read last.
    package var key: String {
        if keyHasEscapes { return String(decoding: unescapedKey, as: UTF8.self) }
        return String(
            decoding: UnsafeRawBufferPointer(start: base + keyRange.lowerBound, count: keyRange.count), as: UTF8.self)
    }

    /// Reads a whole array, each entry with `body`.
    package mutating func readArray<Element>(
        _ body: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try beginArray()
        while try nextElement() { elements.append(try body(&self)) }
        return elements
    }
}
