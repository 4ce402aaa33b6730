// Tells beforehand whether a file system is polled.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem

/// File systems on which other machines change files without an event of this kernel.
package enum PolledFileSystem {
    /// Returns the name of the file system of a directory if it is polled. Nil if it is not, or cannot be opened.
    package static func name(at path: String) -> String? {
        // The table of mounts has the type of a remote file system, and reading it never waits for a server.
        if let mount = MountPaths.mountBehindServers(path) {
            return FileSystemType(inMountTable: mount.type)?.nameIfChangedElsewhere
        }
        guard let directory = try? Directory.open(path, access: .path),
            let type = try? Directory.fileSystemType(of: directory.number)
        else { return nil }
        return FileSystemType(rawValue: type).nameIfChangedElsewhere
    }
}
