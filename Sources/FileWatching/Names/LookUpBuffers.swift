// Room for the entry that is being looked at.
// SPDX-License-Identifier: Apache-2.0

/// Buffers of the loop's own, for one look-up at a time.
struct LookUpBuffers: ~Copyable {
    /// The name that is being looked at, with a NUL behind it.
    let name: UnsafeMutableRawBufferPointer
    /// Its extended attributes.
    let xattrs: UnsafeMutableRawBufferPointer
    /// The name of a row, with a NUL behind it.
    var path: [UInt8] = []

    init() {
        name = .allocate(byteCount: WatchLimits.nameLength + 1, alignment: 8)
        xattrs = .allocate(byteCount: WatchLimits.xattrBuffer, alignment: 8)
    }

    deinit {
        name.deallocate()
        xattrs.deallocate()
    }
}
