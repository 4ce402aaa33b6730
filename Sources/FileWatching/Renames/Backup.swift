// A renamed file that may be the backup of a program that saves.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A file that was renamed within its container, and that may be the backup of a program that saves.
///
/// `mv n n.old; mv n.tmp n; rm n.old` replaces the contents of n, as `mv n.tmp n` does by itself, so the item of n goes on. The
/// same holds where n is written anew instead of renamed, and where n.tmp and n are exchanged and n.tmp is removed
/// (`RENAME_EXCHANGE` of rename(2)). Where the backup is kept, the rename has said that it is the old item.
struct Backup {
    /// The name that it had before.
    var directory: DirectoryID
    var name: [UInt8]
    /// The file, since its row may be another's by now.
    var file: FileStatus
    /// When the rename was heard, and its position in the stream.
    var time: UInt64
    var position: UInt64
    /// The position of the first barrier that was made since, which makes the rename final.
    var barrier: UInt64?
}
