// The result of statx(2).
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The result of `statx(2)`, as plain numbers.
package struct EntryStatus: Sendable, Hashable {
    /// Seconds since 1970 and the nanoseconds of the fraction.
    package struct Time: Sendable, Hashable {
        package var seconds: Int64
        package var nanoseconds: UInt32
        package init(seconds: Int64, nanoseconds: UInt32) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }

    package var inode: UInt64
    /// The number of the device, as `st_dev` of `stat(2)` and `stat -c %d` have it.
    package var device: UInt64
    package var size: Int64
    package var modified: Time
    package var changed: Time
    /// Nil where the file system does not keep it.
    package var created: Time?
    package var owner: UInt32
    package var group: UInt32
    package var links: UInt32
    /// Type and permission bits, as in `st_mode`.
    package var mode: UInt16
    /// Whether a file system is mounted on it (`STATX_ATTR_MOUNT_ROOT`), bind mounts included.
    package var isMountRoot: Bool

    /// The type bits of a mode, and the types (inode(7)).
    package enum FileType: UInt16, Sendable {
        case fifo = 0o010000
        case characterDevice = 0o020000
        case directory = 0o040000
        case blockDevice = 0o060000
        case regular = 0o100000
        case symlink = 0o120000
        case socket = 0o140000
    }

    /// The file type; nil for one that Linux does not know.
    package var type: FileType? { FileType(rawValue: mode & 0o170000) }

    /// Whether it is a directory.
    package var isDirectory: Bool { mode & 0o170000 == FileType.directory.rawValue }

    /// The status of an entry of an open directory; the last symlink is not followed. An empty name asks for the
    /// descriptor itself. Without `asks`, the server of a FUSE or network file system is not asked (`AT_STATX_DONT_SYNC`).
    package init(of name: UnsafePointer<CChar>, in directory: CInt, asks: Bool = true) throws(SystemError) {
        var raw = clinux_status()
        try systemCall { clinux_statx(directory, name, &raw, asks ? 1 : 0) }
        self.init(raw)
    }

    init(_ raw: clinux_status) {
        inode = raw.inode
        device = raw.device
        size = raw.size
        modified = Time(seconds: raw.modified_seconds, nanoseconds: raw.modified_nanoseconds)
        changed = Time(seconds: raw.changed_seconds, nanoseconds: raw.changed_nanoseconds)
        created =
            raw.has_created != 0
            ? Time(seconds: raw.created_seconds, nanoseconds: raw.created_nanoseconds) : nil
        owner = raw.owner
        group = raw.group
        links = raw.links
        mode = raw.mode
        isMountRoot = raw.is_mount_root != 0
    }
}
