// Files with several names, and names that files have no more.
// SPDX-License-Identifier: Apache-2.0

/// The names of files that have, or had, more than one. An event names one of them, and each shows the status of the file.
struct HardLinks {
    /// Files with several names of which more is to be found out.
    var files = LinkedFiles()
    /// Names that files were opened by and have no more.
    var unlinked = UnlinkedNames()
}
