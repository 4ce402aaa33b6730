// Letters of ASCII.
// SPDX-License-Identifier: Apache-2.0

/// Letters of ASCII, the only ones whose case matters in the database.
enum ASCII {
    static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    static func lowercased(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }
}
