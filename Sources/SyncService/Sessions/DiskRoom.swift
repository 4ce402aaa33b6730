// The room on a disk.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Syncthing

/// The room on the disk of a directory, in bytes.
struct DiskRoom: Sendable {
    /// The bytes that an ordinary user may still write.
    let free: Int64
    let size: Int64

    /// Nil if the file system does not tell.
    init?(_ directory: String) {
        var figures = statvfs()
        guard statvfs(directory, &figures) == 0 else { return nil }
        func bytes(_ blocks: UInt64) -> Int64 {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(figures.f_frsize))
            return overflow ? .max : Int64(clamping: bytes)
        }
        free = bytes(UInt64(figures.f_bavail))
        size = bytes(UInt64(figures.f_blocks))
    }

    /// Whether so many bytes leave the reserve free.
    func holds(_ bytes: Int64, _ reserve: DiskReserve) -> Bool {
        bytes.clampedAdding(reserve.bytes(ofDisk: size)) <= free
    }
}
