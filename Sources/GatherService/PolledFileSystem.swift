// Which file systems are polled, for a command that says so beforehand.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem

/// File systems whose files others change without this machine hearing of it.
package enum PolledFileSystem {
    /// The name of the one that a directory lies in; nil where everything that happens there is reported, and where it cannot
    /// be opened.
    package static func name(at path: String) -> String? {
        guard let directory = try? Directory.open(path, access: .path),
            let type = try? Directory.fileSystemType(of: directory.number)
        else { return nil }
        return FileSystemType(rawValue: type).nameIfChangedElsewhere
    }
}
