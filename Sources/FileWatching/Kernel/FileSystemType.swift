// File systems by the numbers that statfs(2) gives, as far as watching them is different.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The type of a file system (`f_type` of statfs(2); the numbers are in `linux/magic.h` and the sources of the file
/// systems).
package struct FileSystemType: Sendable, Hashable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Those whose files others change without this kernel hearing of it: other machines, or a program that serves
    /// them. inotify reports the changes of programs of this machine through the mount and no others, so these are
    /// watched and polled. An overlay is not among them: its own changes are told, and its layers must not be changed
    /// beneath it.
    private static let changedElsewhere: [UInt64: String] = [
        0x6969: "nfs",
        0x517B: "smb",
        0xFF53_4D42: "cifs",
        0xFE53_4D42: "smb2",
        0x6573_5546: "fuse",
        0x0102_1997: "9p",
        0x5346_414F: "afs",
        0x6B41_4653: "afs",
        0x00C3_6400: "ceph",
        0x7375_7245: "coda",
        0x564C: "ncp",
        0x0116_1970: "gfs2",
        0x7461_636F: "ocfs2",
        0x0BD0_0BD0: "lustre",
        0x4750_4653: "gpfs",
        0x1983_0326: "beegfs",
        0x786F_4256: "vboxsf",
        0xBACB_ACBC: "vmhgfs",
        0x9FA0: "proc",
        0x6265_6572: "sysfs",
    ]

    /// The type by its name in the table of mounts, such as `fuse.sshfs` or `nfs4`; nil for one without remote changes.
    /// Asks no file system.
    package init?(inMountTable name: String) {
        let kind = name.prefix { $0 != "." }
        let names =
            kind == "fuseblk" || kind == "virtiofs" ? ["fuse"] : [String(kind), String(kind.prefix { !$0.isNumber })]
        let type = names.lazy.compactMap { name in
            FileSystemType.changedElsewhere.first { $0.value == name }
        }.first
        guard let type else { return nil }
        rawValue = type.key
    }

    /// Whether a file keeps its birth time. On an overlay it gets another when it is changed for the first time and so
    /// copied to the upper layer, a directory too, while its inode number stays.
    package var keepsBirthTimes: Bool { rawValue != 0x794C_7630 }

    /// Whether inode number and birth time tell a directory from every other one, also after a restart.
    package var keepsIdentities: Bool { Directory.keepsIdentities(onFileSystem: rawValue) }

    /// The file system's name where it does not report everything; nil where it does.
    package var nameIfChangedElsewhere: String? { FileSystemType.changedElsewhere[rawValue] }
}
