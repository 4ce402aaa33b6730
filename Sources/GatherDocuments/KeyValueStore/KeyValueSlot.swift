// The file that a store writes, locked.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The file that a store writes. The store holds flock(2) on the file itself, and the next file is locked before it replaces this
/// one. So there is no lock file that could be lost or replicated, and the lock ends with the process.
final class KeyValueSlot: Sendable {
    let name: KeyValueFileName
    let file: LockedFile

    init(name: KeyValueFileName, file: consuming LockedFile) {
        self.name = name
        self.file = file
    }
}
