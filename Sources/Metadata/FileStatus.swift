// What the file system says of an entry, as statx(2) gives it.
// SPDX-License-Identifier: Apache-2.0

/// What the file system says of one entry, as `statx(2)` gives it.
public struct FileStatus: Sendable, Hashable {
    /// What sort of entry it is. The file system knows no packages: that is for the index to say.
    public var kind: FileKind
    /// The permission bits, set-id and sticky bits included (`07777`).
    public var mode: UInt16
    /// Size in bytes.
    public var size: Int64
    /// When it came into being; nil where the file system does not keep that.
    public var created: Timestamp?
    /// When its content changed last.
    public var modified: Timestamp
    /// When its inode changed last.
    public var changed: Timestamp
    /// The numeric owner.
    public var owner: UInt32
    /// The numeric group.
    public var group: UInt32
    /// How many names the file has.
    public var links: UInt32
    /// Its access control list. Read of every directory, and of files that have tags, where callers are told apart; `none`
    /// otherwise.
    public var accessList: AccessListID
    /// The inode's number.
    public var inode: UInt64
    /// The device that holds it, as `major << 32 | minor`.
    public var device: UInt64

    /// A status from its parts.
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

    /// Which file this is, whatever it is called.
    public var identity: FileIdentity {
        get { FileIdentity(device: device, inode: inode, created: created) }
        set { (device, inode, created) = (newValue.device, newValue.inode, newValue.created) }
    }
}
