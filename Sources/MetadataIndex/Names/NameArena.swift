// The bytes of the names of one block of rows.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of the names of one block, append-only.
///
/// `@unchecked Sendable`: bytes are written once, by the owner of the index, beyond the end (`Block.Header.nameEnd`) of
/// every block that shares the arena. A snapshot never reads a byte that can still be written. Therefore a block that is
/// copied because a snapshot holds it need not copy its names.
final class NameArena: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { bytes.deallocate() }
}
