// The state of a file by which a change is noticed without reading it.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Metadata

/// The identity, the size and the times of a file.
struct FileStamp: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modified: EntryStatus.Time
    /// When the inode changed. A rename changes it, too, and a change of mode or extended attributes.
    let changed: EntryStatus.Time

    init(_ status: EntryStatus) {
        device = status.device
        inode = status.inode
        size = status.size
        modified = status.modified
        changed = status.changed
    }

    /// Makes the stamp of contents. The time of the inode is not known.
    init(device: UInt64, inode: UInt64, size: Int64, modified: EntryStatus.Time) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        changed = modified
    }

    /// The stamp of no file.
    static let none = FileStamp(device: 0, inode: 0, size: 0, modified: EntryStatus.Time(seconds: 0, nanoseconds: 0))

    /// The age in nanoseconds from which the times of a file tell each later change. Kernels set times by a clock that
    /// advances every 1 to 10 ms.
    private static let settlingTime: Int64 = 100_000_000

    /// Whether the times are old enough now to tell each later change.
    var isSettled: Bool { isContentSettled && FileStamp.isSettled(changed) }

    /// Whether the time of the contents is old enough now to tell each later change of them.
    var isContentSettled: Bool { FileStamp.isSettled(modified) }

    /// Whether the time of the inode, which every change sets, is old enough now to tell each later change.
    var isChangeSettled: Bool { FileStamp.isSettled(changed) }

    /// The time after which a file that nothing changes is settled, in microseconds.
    static let settlingMicroseconds = UInt32(settlingTime / 1_000) + 10_000

    private static var now: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
    }

    private static func isSettled(_ time: EntryStatus.Time) -> Bool {
        let time = Timestamp(seconds: time.seconds, nanoseconds: Int64(time.nanoseconds)).nanoseconds
        let age = FileStamp.now.nanoseconds.subtractingReportingOverflow(time)
        return !age.overflow && age.partialValue > settlingTime
    }

    /// The size and the time of the contents.
    var contents: ContentsStamp {
        ContentsStamp(
            size: size,
            modified: Timestamp(seconds: modified.seconds, nanoseconds: Int64(modified.nanoseconds)))
    }

    /// Whether the file is the same, and nothing says that its contents changed. The time of its inode may be another.
    func hasSameContents(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }
}

/// The contents of a file as they were loaded or saved, with the file's state then.
struct LoadedFile: Sendable {
    var stamp: FileStamp {
        didSet { isSettled = stamp.isSettled }
    }
    var bytes: [UInt8]
    /// Whether an equal stamp tells that the contents are the same. A file that changes twice within a step of the kernel's
    /// clock has the same times.
    private(set) var isSettled: Bool

    init(stamp: FileStamp, bytes: [UInt8]) {
        self.stamp = stamp
        self.bytes = bytes
        isSettled = stamp.isSettled
    }
}
