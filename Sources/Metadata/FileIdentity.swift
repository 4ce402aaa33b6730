// Which file an entry names.
// SPDX-License-Identifier: Apache-2.0

/// Which file an entry names: device, inode and birth time. Never the inode alone, since ext4 hands the number of a
/// file that is gone to the next one at once.
public struct FileIdentity: Sendable, Hashable {
    /// The device that holds the file, as `major << 32 | minor`.
    public var device: UInt64
    /// The inode's number.
    public var inode: UInt64
    /// The time of birth, nil where the file system does not keep it.
    public var created: Timestamp?

    /// That of no file: no file system has an inode of this number.
    public static let unknown = FileIdentity(device: 0, inode: 0, created: nil)

    /// An identity from its parts.
    public init(device: UInt64, inode: UInt64, created: Timestamp?) {
        self.device = device
        self.inode = inode
        self.created = created
    }
}
