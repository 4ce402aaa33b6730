// The hash FNV-1a.
// SPDX-License-Identifier: Apache-2.0

/// The hash FNV-1a of 64 bits: the same in every run and on every machine.
struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}
