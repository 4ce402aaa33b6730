// Shared memory in an unnamed file (memfd_create(2)), which outlives the process in any holder of its descriptor.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A memfd, mapped as a whole. Its size is sealed, so that no holder of the descriptor can truncate it beneath a mapping.
/// Pages that were never written take no memory.
///
/// Unchecked: the pointers do not change, and the owner of the memory defines when each part may be written.
package final class SharedMemory: @unchecked Sendable {
    package let descriptor: Descriptor
    package let bytes: UnsafeMutableRawBufferPointer
    private var doubled: [UnsafeMutableRawBufferPointer] = []

    /// New memory, all zero.
    package convenience init(name: String, size: Int) throws(SystemError) {
        let descriptor = Descriptor(owning: CInt(try systemCall { clinux_memfd_create(name) }))
        try descriptor.truncate(to: size)
        try systemCall { clinux_seal_size(descriptor.number) }
        try self.init(descriptor: descriptor, size: size)
    }

    /// Memory that was made before. `EINVAL` where the descriptor is anything else, or of another size.
    package init(descriptor: consuming Descriptor, size: Int) throws(SystemError) {
        let number = descriptor.number
        let seals = try systemCall { clinux_seals(number) }
        guard seals & Int(CLINUX_SIZE_SEALS) == Int(CLINUX_SIZE_SEALS), try descriptor.size() == size else {
            throw .invalid
        }
        guard let address = clinux_map(nil, size, number, 0) else { throw .noMemory }
        self.descriptor = descriptor
        bytes = UnsafeMutableRawBufferPointer(start: address, count: size)
    }

    deinit {
        for range in doubled { clinux_unmap(range.baseAddress, range.count) }
        clinux_unmap(bytes.baseAddress, bytes.count)
    }

    /// Part of the memory twice, the second right behind the first: bytes past its end continue at its beginning.
    /// Offset and size are multiples of the page size. Lasts as long as this object.
    package func mapTwice(offset: Int, size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        guard let address = clinux_reserve(2 * size) else { throw .noMemory }
        doubled.append(UnsafeMutableRawBufferPointer(start: address, count: 2 * size))
        for half in [address, address + size] {
            guard clinux_map(half, size, descriptor.number, Int64(offset)) != nil else { throw .noMemory }
        }
        return address
    }
}

/// Words that another process may find after this one was ended at any instruction: all that was written before a word in the
/// program is there when the word is.
package enum SharedWord {
    @inline(__always)
    package static func store(_ value: UInt64, to address: UnsafeMutableRawPointer) {
        clinux_store_word(address, value)
    }

    @inline(__always)
    package static func load(_ address: UnsafeRawPointer) -> UInt64 { clinux_load_word(address) }
}
