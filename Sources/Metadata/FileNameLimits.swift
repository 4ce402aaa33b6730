// The limits of file names.
// SPDX-License-Identifier: Apache-2.0

/// The limits of file names.
package enum FileNameLimits {
    /// The bytes of the longest name. Linux's own file systems have 255 (`NAME_MAX`). NTFS and exFAT have 255 characters of UTF-16,
    /// which are up to 765 bytes, and FUSE has 1,024 or `PATH_MAX`. 4,096 names of this length, each with two bytes for its length,
    /// fit into 2^24 bytes, which is the room of a block of the index.
    package static let mostBytes = 4_093
}
