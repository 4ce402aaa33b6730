// The keyed hash by which names and inodes are found.
// SPDX-License-Identifier: Apache-2.0

/// The keyed hash of names and inodes: wyhash's multiply and fold. The key is random and secret, so that users of the file
/// system cannot choose names that collide.
struct NameHash {
    let key: UInt64

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    /// The hash of a name in a directory. `name` is not empty.
    @inline(__always)
    func hash(parent: UInt32, name: UnsafeRawBufferPointer) -> UInt64 {
        let count = name.count
        let base = name.baseAddress.unsafelyUnwrapped
        var state = key ^ (UInt64(parent) &* 0x9E37_79B9_7F4A_7C15)
        if count >= 8 {
            var at = 0
            while at + 8 < count {
                state = NameHash.fold(
                    state ^ base.loadUnaligned(fromByteOffset: at, as: UInt64.self), 0xA076_1D64_78BD_642F)
                at += 8
            }
            state ^= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            let low = base.loadUnaligned(as: UInt32.self)
            let high = base.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            state ^= UInt64(high) << 32 | UInt64(low)
        } else {
            let first = base.load(as: UInt8.self)
            let middle = base.load(fromByteOffset: count >> 1, as: UInt8.self)
            let last = base.load(fromByteOffset: count - 1, as: UInt8.self)
            state ^= UInt64(first) << 16 | UInt64(middle) << 8 | UInt64(last)
        }
        return NameHash.fold(
            NameHash.fold(state, 0xE703_7ED1_A0B4_28DB) ^ UInt64(count), 0x8EBC_6AF0_9C88_C6E3)
    }

    /// The hash of a file.
    func hash(inode: UInt64, device: UInt64) -> UInt64 {
        let state = NameHash.fold(key ^ inode, 0xA076_1D64_78BD_642F) ^ device
        return NameHash.fold(NameHash.fold(state, 0xE703_7ED1_A0B4_28DB) ^ key, 0x8EBC_6AF0_9C88_C6E3)
    }
}
