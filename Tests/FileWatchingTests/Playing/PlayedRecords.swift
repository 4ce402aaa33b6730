// The records that a played kernel has given.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The records of a reading, in memory that stays where it is.
final class PlayedRecords {
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
    /// Bytes that are there, of those that were given back, and of those that were appended.
    private(set) var count = 0
    /// Bytes that were taken last.
    private var taken = 0

    deinit { bytes.deallocate() }

    /// Appends the record of an event, as inotify(7) has it. False where it does not fit.
    func append(_ event: PlayedKernel.Event, atMost limit: Int) -> Bool {
        let field = event.name.isEmpty ? 0 : (event.name.utf8.count + 16) / 16 * 16
        guard count + 16 + field <= min(limit, bytes.count) else { return false }
        let words = [UInt32(bitPattern: event.watch), event.mask.rawValue, event.cookie, UInt32(field)]
        for (index, word) in words.enumerated() {
            bytes.storeBytes(of: word, toByteOffset: count + 4 * index, as: UInt32.self)
        }
        for index in 0..<field { bytes[count + 16 + index] = 0 }
        for (index, byte) in event.name.utf8.enumerated() { bytes[count + 16 + index] = byte }
        count += 16 + field
        return true
    }

    /// Takes what is there.
    func take() -> UnsafeRawBufferPointer {
        (taken, count) = (count, 0)
        return UnsafeRawBufferPointer(rebasing: bytes[..<taken])
    }

    /// Gives back the last bytes of what was taken: they come first in the next reading.
    func giveBack(_ size: Int) {
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(taken - size)..<taken]))
        count = size
    }
}
