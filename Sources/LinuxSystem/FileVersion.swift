// Whether a file is the one that it was.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file as it was when it was looked at. Another file by the same path, or one that was written since, has another version.
package struct FileVersion: Sendable, Hashable {
    private let device: UInt64, inode: UInt64, size: Int64
    private let modified: [Int], changed: [Int]

    /// Looks at a file, through symbolic links (stat(2)); nil if there is none.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}
