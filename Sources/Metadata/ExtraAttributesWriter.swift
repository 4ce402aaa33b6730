// Writes the extended attributes of one file into a buffer.
// SPDX-License-Identifier: Apache-2.0

/// Writes the bytes of ``ExtraAttributes`` into a buffer as values are read, without an array for each.
///
/// Attributes that are added first find room first. ``finish()`` sorts them by name.
package struct ExtraAttributesWriter {
    /// The size of the buffer. Values are read into its second half, and sorted into the first.
    package static let bufferSize = 2 * ExtraAttributes.byteLimit

    private let result: UnsafeMutableRawBufferPointer
    private let scratch: UnsafeMutableRawBufferPointer
    /// The positions of each attribute and of its name in `scratch`.
    private var entries: [(name: Range<Int>, end: Int)] = []
    private var end = 0

    /// Starts without attributes. The buffer must outlive the writer.
    package init(in buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= ExtraAttributesWriter.bufferSize)
        result = UnsafeMutableRawBufferPointer(rebasing: buffer[..<ExtraAttributes.byteLimit])
        scratch = UnsafeMutableRawBufferPointer(
            rebasing: buffer[ExtraAttributes.byteLimit..<ExtraAttributesWriter.bufferSize])
    }

    /// Adds an attribute by its name without `user.`. `read` writes the value into the remaining room, which may be
    /// empty. It returns the number of bytes, or nil if there is no value or it does not fit.
    package mutating func add<Failure: Error>(
        _ name: UnsafeRawBufferPointer, reading read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) {
        let start = end + ExtraAttributes.headSize
        guard name.count <= ExtendedAttributeName.maximumByteCount, start + name.count <= scratch.count else { return }
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch[(start + name.count)...])
        guard let count = try read(room), count <= room.count else { return }
        scratch[end] = UInt8(truncatingIfNeeded: name.count)
        scratch[end + 1] = UInt8(truncatingIfNeeded: count)
        scratch[end + 2] = UInt8(truncatingIfNeeded: count >> 8)
        UnsafeMutableRawBufferPointer(rebasing: scratch[start..<(start + name.count)]).copyMemory(from: name)
        end = start + name.count + count
        entries.append((start..<(start + name.count), end))
    }

    /// Sorts the attributes into the beginning of the buffer, and returns their size in bytes. A repeated name is kept
    /// once.
    package mutating func finish() -> Int {
        let scratch = UnsafeRawBufferPointer(scratch)
        let name = { (entry: (name: Range<Int>, end: Int)) in scratch[entry.name] }
        if entries.count > 1 { entries.sort { name($0).lexicographicallyPrecedes(name($1)) } }
        var count = 0
        for (place, entry) in entries.enumerated() {
            if place > 0, name(entries[place - 1]).elementsEqual(name(entry)) { continue }
            let bytes = scratch[(entry.name.lowerBound - ExtraAttributes.headSize)..<entry.end]
            UnsafeMutableRawBufferPointer(rebasing: result[count..<(count + bytes.count)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
            count += bytes.count
        }
        return count
    }
}
