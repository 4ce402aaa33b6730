// Comparing bytes.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

/// The order of two byte strings of the same length, as `memcmp(3)`.
@inline(__always)
func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int32 {
    memcmp(a.baseAddress.unsafelyUnwrapped, b.baseAddress.unsafelyUnwrapped, a.count)
}

/// Whether bytes can be the name of a directory entry.
@inline(__always)
func isValidName(_ name: UnsafeRawBufferPointer) -> Bool {
    guard name.count >= 1, name.count <= FileNameLimits.mostBytes else { return false }
    if name.count <= 2, name[0] == UInt8(ascii: "."), name[name.count - 1] == UInt8(ascii: ".") { return false }
    for byte in name where byte == 0 || byte == UInt8(ascii: "/") { return false }
    return true
}
