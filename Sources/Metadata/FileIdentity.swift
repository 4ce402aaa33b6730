// The identity of a file.
// SPDX-License-Identifier: Apache-2.0

/// The identity of a file: device, inode and birth time. The inode alone is not enough, since ext4 gives the number of
/// a removed file to the next one at once.
public struct FileIdentity: Sendable, Hashable {
    /// The device that holds the file, as `major << 32 | minor`.
    public var device: UInt64
    /// The inode's number.
    public var inode: UInt64
    /// The birth time; nil if the file system does not store it.
    public var created: Timestamp?

    /// The identity of no file. No file system has an inode with this number.
    public static let unknown = FileIdentity(device: 0, inode: 0, created: nil)

    /// Makes an identity from its parts.
    public init(device: UInt64, inode: UInt64, created: Timestamp?) {
        self.device = device
        self.inode = inode
        self.created = created
    }
}
