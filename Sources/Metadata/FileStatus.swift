// The status of an entry.
// SPDX-License-Identifier: Apache-2.0

/// The status of an entry, as statx(2) returns it.
public struct FileStatus: Sendable, Hashable {
    /// The kind. The index decides which directories are packages.
    public var kind: FileKind
    /// The permission bits, set-id and sticky bits included (`07777`).
    public var mode: UInt16
    /// Size in bytes.
    public var size: Int64
    /// The birth time; nil if the file system does not store it.
    public var created: Timestamp?
    /// The time of the last change of the content.
    public var modified: Timestamp
    /// The time of the last change of the inode.
    public var changed: Timestamp
    /// The numeric owner.
    public var owner: UInt32
    /// The numeric group.
    public var group: UInt32
    /// The number of names of the file.
    public var links: UInt32
    /// The access control list. If callers are told apart, it is read for directories and for files with tags.
    /// Otherwise it is `none`.
    public var accessList: AccessListID
    /// The inode's number.
    public var inode: UInt64
    /// The device of the inode, as `major << 32 | minor`.
    public var device: UInt64

    /// Makes a status from its parts.
    public init(
        kind: FileKind, mode: UInt16, size: Int64, created: Timestamp?, modified: Timestamp, changed: Timestamp,
        owner: UInt32, group: UInt32, links: UInt32, inode: UInt64, device: UInt64,
        accessList: AccessListID = .none
    ) {
        self.kind = kind
        self.mode = mode
        self.size = size
        self.created = created
        self.modified = modified
        self.changed = changed
        self.owner = owner
        self.group = group
        self.links = links
        self.accessList = accessList
        self.inode = inode
        self.device = device
    }

    /// The identity of the file, whatever its name is.
    public var identity: FileIdentity {
        get { FileIdentity(device: device, inode: inode, created: created) }
        set { (device, inode, created) = (newValue.device, newValue.inode, newValue.created) }
    }
}
