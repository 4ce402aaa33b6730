// The state of a file by which a change is noticed without reading it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinuxSystem
package import Metadata

/// The identity, the size and the times of a file. Two equal stamps are those of one file that did not change between, if the first one
/// was settled.
package struct FileStamp: Sendable, Hashable {
    /// The number of the file system.
    package let device: UInt64
    /// The number of the file in it.
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int64
    /// When the contents changed.
    package let modified: EntryStatus.Time
    /// When the inode changed. A rename changes it, too, and a change of mode or extended attributes.
    package let changed: EntryStatus.Time

    /// Makes the stamp of an entry that was looked at.
    package init(_ status: EntryStatus) {
        device = status.device
        inode = status.inode
        size = status.size
        modified = status.modified
        changed = status.changed
    }

    /// Looks at a file, through symbolic links (stat(2)); nil if there is none.
    package init?(following path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        modified = FileStamp.time(status.st_mtim)
        changed = FileStamp.time(status.st_ctim)
    }

    /// Makes the stamp of contents. The time of the inode is not known.
    package init(device: UInt64, inode: UInt64, size: Int64, modified: EntryStatus.Time) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        changed = modified
    }

    /// The stamp of no file.
    package static let none = FileStamp(
        device: 0, inode: 0, size: 0, modified: EntryStatus.Time(seconds: 0, nanoseconds: 0))

    private static func time(_ time: timespec) -> EntryStatus.Time {
        EntryStatus.Time(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }

    // MARK: Comparing

    /// Whether the file is the same, by whatever name. Its contents may be others.
    package func isSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

    /// Whether the file is the same, and nothing says that its contents changed. The time of its inode may be another.
    package func hasSameContents(as other: FileStamp) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }

    // MARK: Times

    /// The time of the contents. One beyond the range of nanoseconds in 64 bits is the end of it.
    package var modifiedTime: Timestamp {
        Timestamp(seconds: modified.seconds, nanoseconds: Int64(modified.nanoseconds))
    }

    /// The age in nanoseconds from which the times of a file tell each later change. Kernels set times by a clock that
    /// advances every 1 to 10 ms.
    private static let settlingTime: Int64 = 100_000_000

    /// Whether the times are old enough now to tell each later change.
    package var isSettled: Bool { isContentSettled && isChangeSettled }

    /// Whether the time of the contents is old enough now to tell each later change of them.
    package var isContentSettled: Bool { FileStamp.isSettled(modified) }

    /// Whether the time of the inode, which every change sets, is old enough now to tell each later change.
    package var isChangeSettled: Bool { FileStamp.isSettled(changed) }

    /// The time after which a file that nothing changes is settled, in microseconds.
    package static let settlingMicroseconds = UInt32(settlingTime / 1_000) + 10_000

    private static func isSettled(_ time: EntryStatus.Time) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
            Timestamp(seconds: seconds, nanoseconds: rest).nanoseconds
        }
        let age = nanoseconds(Int64(now.tv_sec), Int64(now.tv_nsec))
            .subtractingReportingOverflow(nanoseconds(time.seconds, Int64(time.nanoseconds)))
        return !age.overflow && age.partialValue > settlingTime
    }
}
