// Reading inotify's records where they lie.
// SPDX-License-Identifier: Apache-2.0

/// One record in a buffer that was read from an inotify descriptor.
package struct InotifyEvent {
    /// The watch it is for; -1 for an overflow.
    package var watch: Int32
    package var mask: InotifyMask
    /// Joins the two halves of a rename.
    package var cookie: UInt32
    /// Where the name begins in the buffer, and its length without the NULs that follow it; 0 for none.
    package var nameOffset: Int
    package var nameLength: Int

    /// Bytes of a record before its name.
    package static let headerSize = 16

    /// The record at an offset, which is moved behind it; nil at the end, or where a record does not fit.
    @inlinable package init?(in buffer: UnsafeRawBufferPointer, at offset: inout Int) {
        guard offset >= 0, buffer.count - offset >= 16 else { return nil }
        // struct inotify_event: wd, mask, cookie, len, name.
        watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        mask = InotifyMask(rawValue: buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
        cookie = buffer.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self)
        let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        nameOffset = offset + 16
        guard length <= buffer.count - nameOffset else { return nil }
        var count = 0
        while count < length, buffer[nameOffset + count] != 0 { count += 1 }
        // A name that fills its field without a NUL is no name that the kernel wrote.
        nameLength = count < length ? count : 0
        offset = nameOffset + length
    }

    /// Bytes of the whole records at the beginning of a buffer that holds nothing else, as many as fit into `room` bytes; nil
    /// where the first does not.
    package static func byteCount(of records: UnsafeRawBufferPointer, fitting room: Int) -> Int? {
        guard records.count > room else { return records.count }
        var (count, end) = (0, 0)
        while InotifyEvent(in: records, at: &end) != nil, end <= room { count = end }
        return count > 0 ? count : nil
    }

    /// Calls `body` with the record of an overflow, as the kernel writes it.
    package static func withOverflow(_ body: (UnsafeRawBufferPointer) -> Void) {
        let fields: [UInt32] = [UInt32(bitPattern: -1), InotifyMask.overflow.rawValue, 0, 0]
        fields.withUnsafeBytes(body)
    }

    /// The name, where it lies in the buffer that the record was read from.
    @inlinable package func name(in buffer: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[nameOffset..<nameOffset + nameLength])
    }
}
