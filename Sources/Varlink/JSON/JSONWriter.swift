// Writing JSON straight into bytes, with the commas put where they belong.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// Writes JSON into memory that it owns and keeps: a writer that lives as long as its connection or loop allocates
/// only until it has seen its largest reply.
///
/// Commas are the writer's business; the balance of brackets and one value for each key are the caller's. Writing a
/// value costs its bytes and no allocation.
package struct JSONWriter: ~Copyable {
    // Owned: allocated by `init` and `grow`, freed by `deinit`, never handed out beyond a closure.
    var base: UnsafeMutableRawPointer
    var capacity: Int

    /// How many bytes have been written.
    package internal(set) var count = 0

    /// Whether a comma is due before the next key or value.
    var needsComma = false

    /// An empty writer with room for `capacity` bytes.
    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    // MARK: Memory

    /// Makes room for `bytes` more.
    @inline(__always)
    mutating func reserve(_ bytes: Int) {
        if capacity &- count < bytes { grow(by: bytes) }
    }

    @inline(never)
    private mutating func grow(by bytes: Int) {
        let larger = max(capacity * 2, count + bytes)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        memory.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = memory
        capacity = larger
    }

    /// Empties the writer and keeps its memory, unless that is larger than `limit` bytes.
    package mutating func removeAll(keepingAtMost limit: Int = .max) {
        if capacity > limit { self = JSONWriter(capacity: min(limit, 256)) }
        count = 0
        needsComma = false
    }

    /// Drops everything after the first `count` bytes. That must be a place after a whole value or before any, such as a
    /// ``count`` read between two elements of an array.
    package mutating func truncate(to count: Int, needsComma: Bool) {
        precondition(count <= self.count)
        self.count = count
        self.needsComma = needsComma
    }

    /// Lends the bytes written so far.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Returns a copy of the bytes written; the writer is empty afterwards and keeps its memory.
    package mutating func takeBytes() -> JSONBytes {
        let bytes = withUnsafeBytes { JSONBytes(ByteBuffer(bytes: $0)) }
        removeAll()
        return bytes
    }

    // MARK: Raw bytes

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawPointer, count length: Int) {
        reserve(length)
        (base + count).copyMemory(from: bytes, byteCount: length)
        count &+= length
    }

    @inline(__always)
    mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Structure

    /// `{`
    package mutating func beginObject() {
        separate()
        append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// `}`
    package mutating func endObject() {
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// `[`
    package mutating func beginArray() {
        separate()
        append(UInt8(ascii: "["))
        needsComma = false
    }

    /// `]`
    package mutating func endArray() {
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// A key that needs no escaping, its colon included.
    package mutating func key(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        reserve(length &+ 4)
        if needsComma { append(UInt8(ascii: ",")) }
        append(UInt8(ascii: "\""))
        append(name.utf8Start, count: length)
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Any key, its colon included.
    package mutating func key(escaping name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Bytes that are one whole JSON value already, put in as they are.
    package mutating func raw(_ value: UnsafeRawBufferPointer) {
        guard let start = value.baseAddress else { return }
        separate()
        append(start, count: value.count)
    }

    /// A whole JSON value, put in as it is.
    package mutating func raw(_ value: JSONBytes) {
        value.withUnsafeBytes { raw($0) }
    }

    /// A prebuilt entry, such as `"kind":"file"`, put in as it is.
    package mutating func entry(_ text: StaticString) {
        separate()
        append(text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
