// Which states are of the same file.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Tells whether two states are of the same file: by device, inode and birth time, never by inode alone. Some file systems
/// have birth times that say nothing (see ``FileSystemType/keepsBirthTimes``); their devices are kept here.
struct FileIdentities {
    private var devicesWithoutBirthTimes: Set<UInt64> = []

    /// A container's root lies on a device. The numbers of file systems without a device of their own are handed out again.
    mutating func note(device: UInt64, keepsBirthTimes: Bool) {
        if !keepsBirthTimes {
            devicesWithoutBirthTimes.insert(device)
        } else if !devicesWithoutBirthTimes.isEmpty {
            devicesWithoutBirthTimes.remove(device)
        }
    }

    /// Whether the birth time of a file means something.
    func keepsBirthTime(_ status: FileStatus) -> Bool {
        devicesWithoutBirthTimes.isEmpty || !devicesWithoutBirthTimes.contains(status.device)
    }

    /// Whether two states are of the same file.
    func isSame(_ a: FileStatus, _ b: FileStatus) -> Bool {
        a.inode == b.inode && a.device == b.device && a.kind.isDirectory == b.kind.isDirectory && haveSameBirth(a, b)
    }

    /// Whether two birth times may be of one file, as far as they are known and mean something.
    func haveSameBirth(_ a: FileStatus, _ b: FileStatus) -> Bool {
        a.created == b.created || a.created == nil || b.created == nil || !keepsBirthTime(b)
    }

    /// Returns the identity by which a file is recognised.
    func identity(of status: FileStatus) -> FileIdentity {
        guard keepsBirthTime(status) else {
            return FileIdentity(device: status.device, inode: status.inode, created: nil)
        }
        return status.identity
    }
}
