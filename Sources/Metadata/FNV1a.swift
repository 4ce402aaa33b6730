// The hash FNV-1a.
// SPDX-License-Identifier: Apache-2.0

/// The hash FNV-1a of 64 bits: the same in every run, on every machine and in every version. Swift's own hashes are seeded anew in
/// each run. It finds changes and spreads names, and does not withstand an attacker.
package struct FNV1a: Sendable, Hashable {
    @usableFromInline var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Makes the hash of no bytes.
    @inlinable package init() {}

    /// The hash of all that was combined.
    @inlinable package var value: UInt64 { state }

    /// Adds a byte.
    @inlinable package mutating func combine(_ byte: UInt8) { combine(word: UInt64(byte)) }

    /// Adds bytes. Complexity: O(length).
    @inlinable package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    /// Adds 64 bits in one step. The hash is another one than that of their bytes.
    @inlinable package mutating func combine(word: UInt64) { state = (state ^ word) &* 0x100_0000_01B3 }

    /// Returns the hash of bytes. Complexity: O(length).
    @inlinable package static func value(of bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a()
        hash.combine(bytes)
        return hash.value
    }
}
