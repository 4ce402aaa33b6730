// The access rule of a file.
// SPDX-License-Identifier: Apache-2.0

/// The access rule of a file; see ``Credentials/may(_:_:)``.
package struct FileAccess: Sendable, Hashable {
    package var owner: UInt32
    package var group: UInt32
    package var accessList: AccessListID
    /// The permission bits.
    package var mode: UInt16

    package init(mode: UInt16, owner: UInt32, group: UInt32, accessList: AccessListID) {
        self.owner = owner
        self.group = group
        self.accessList = accessList
        self.mode = mode
    }
}

extension FileStatus {
    /// The file's access rule.
    package var access: FileAccess {
        FileAccess(mode: mode, owner: owner, group: group, accessList: accessList)
    }
}
