// A hash of contents and names with well-mixed bits.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// FNV-1a of 64 bits, with the finalizer of SplitMix64 so that all bits depend on all bytes. It is the same in every process, on every
/// machine and in every version. It finds damage and spreads names. It does not withstand an attacker.
package enum StableHash {
    /// Returns the hash of these bytes. Complexity: O(length).
    package static func value(of bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = FNV1a.value(of: bytes)
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

    /// Returns the hash as 16 hexadecimal digits.
    package static func text(of bytes: some Sequence<UInt8>) -> String { text(value(of: bytes)) }

    /// Returns a number as 16 hexadecimal digits.
    package static func text(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
