// The fixed-size values of one row as its columns hold them.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The status of one row as the columns hold it: owner, group, access list, mode and device are one number
/// (``CommonAttributes``), and a missing time of birth is ``RowValues/noTime``.
struct RowValues: Equatable {
    var size: Int64
    var created: Int64
    var modified: Int64
    var changed: Int64
    var inode: UInt64
    var common: UInt32
    var links: UInt32
    var kind: FileKind

    /// Stands for a time of birth that the file system does not keep.
    static let noTime = Int64.min

    init(
        size: Int64, created: Int64, modified: Int64, changed: Int64, inode: UInt64, common: UInt32, links: UInt32,
        kind: FileKind
    ) {
        self.size = size
        self.created = created
        self.modified = modified
        self.changed = changed
        self.inode = inode
        self.common = common
        self.links = links
        self.kind = kind
    }

    init(_ status: borrowing FileStatus, common: UInt32) {
        size = status.size
        // A birth clamped to the earliest time must not read back as none.
        created = status.created.map { max($0.nanoseconds, RowValues.noTime + 1) } ?? RowValues.noTime
        modified = status.modified.nanoseconds
        changed = status.changed.nanoseconds
        inode = status.inode
        self.common = common
        links = status.links
        kind = status.kind
    }

    func status(_ attributes: CommonAttributes) -> FileStatus {
        FileStatus(
            kind: kind, mode: attributes.mode, size: size,
            created: created == RowValues.noTime ? nil : Timestamp(nanoseconds: created),
            modified: Timestamp(nanoseconds: modified), changed: Timestamp(nanoseconds: changed),
            owner: attributes.owner, group: attributes.group, links: links, inode: inode, device: attributes.device,
            accessList: attributes.accessList)
    }

    /// Whether the row is found by its inode: directories, and files with further names.
    var isFoundByInode: Bool { links > 1 || kind.isDirectory }
}

/// The attributes that have few combinations in one container. A row holds the number of its combination in four bytes in
/// place of twenty-two. The owner of files can make some 4,096 modes times their groups, times lists, so numbers that no row
/// uses any more are reused (`AttributeDictionary.takeBack(unlessIn:of:)`).
struct CommonAttributes: Hashable {
    var device: UInt64
    var owner: UInt32
    var group: UInt32
    var accessList: AccessListID
    var mode: UInt16

    var access: FileAccess { FileAccess(mode: mode, owner: owner, group: group, accessList: accessList) }

    /// The values that many files have in common with others.
    init(_ status: borrowing FileStatus) {
        device = status.device
        owner = status.owner
        group = status.group
        accessList = status.accessList
        mode = status.mode
    }
}
