// Types of file systems by their names in the table of mounts.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Testing

struct FileSystemTypeTests {
    @Test(
        arguments: [
            ("fuse.sshfs", "fuse"), ("fuseblk", "fuse"), ("fuse", "fuse"), ("virtiofs", "fuse"), ("nfs", "nfs"),
            ("nfs4", "nfs"),
            ("cifs", "cifs"), ("smb3", "smb"), ("9p", "9p"), ("ceph", "ceph"), ("ext4", nil), ("tmpfs", nil), ("", nil),
        ] as [(String, String?)])
    func typeIsKnownByItsNameInTheTable(_ name: String, _ known: String?) {
        #expect(FileSystemType(inMountTable: name)?.nameIfChangedElsewhere == known)
    }
}
