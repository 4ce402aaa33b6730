// A regular file that is on this device.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import SaveFiles

/// A regular file that is on this device, as it was when it was looked at.
struct HeldFile: Sendable {
    /// The path below the folder.
    let part: String
    let stamp: FileStamp

    init?(_ path: String, part: String) {
        guard let entry = try? ContainerRoots.openParent(of: path) else { return nil }
        self.init(entry.name, in: entry.directory.number, part: part)
    }

    /// Looks at a name in an open directory.
    init?(_ name: UnsafePointer<CChar>, in directory: CInt, part: String) {
        guard let status = try? EntryStatus(of: name, in: directory), status.type == .regular else { return nil }
        self.part = part
        stamp = FileStamp(status)
    }

    var size: Int64 { stamp.size }
    /// Nanoseconds since 1970. A time beyond their range is the end of it.
    var modified: Int64 { stamp.modifiedTime.nanoseconds }
}

extension AbsentItem {
    init(_ file: HeldFile) { self.init(size: file.size, modified: file.modified) }
}
