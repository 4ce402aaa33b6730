// A renamed file that may be the backup of a program that saves.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A file that was renamed within its container.
struct Backup {
    /// The name that it had before.
    var directory: DirectoryID
    var name: [UInt8]
    /// The file, since its row may be another's by now.
    var file: FileStatus
    /// When the rename was heard, and its position in the stream.
    var time: UInt64
    var cause: UInt64
    /// The position of the first barrier that was made since, which makes the rename final.
    var barrier: UInt64?
}
