// The contents of a file as they were loaded or saved.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata
internal import SaveFiles

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

extension FileStamp {
    /// The size and the time of the contents.
    var contents: ContentsStamp { ContentsStamp(size: size, modified: modifiedTime) }
}
