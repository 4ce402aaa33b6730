// The versions in conflict of a folder.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Knows the versions in conflict that are to be claimed, and those that may have no author.
struct ConflictCopies {
    /// Files that may be fresh copies, and that may have to be claimed.
    private var fresh: Set<String> = []
    /// Copies whose author is not known. The lists of other devices may tell later.
    private(set) var unnamed: Set<String> = []

    /// Notes a file that may be a fresh copy. Applications keep removed items in archives, and their names.
    mutating func note(_ part: String) {
        guard part.utf8.count > ConflictName.leastAddedBytes else { return }
        let name = part.split(separator: "/").last ?? ""
        guard ConflictName(String(name)) != nil, !ArchiveName.holds(part.utf8) else { return }
        fresh.insert(part)
    }

    /// Returns the fresh copies, and forgets them.
    mutating func takeFresh() -> Set<String> {
        defer { fresh = [] }
        return fresh
    }

    /// Notes a copy that may have no author. Too many are left without one.
    mutating func note(unnamed part: String) {
        if unnamed.count < SyncLimits.waitingFiles { unnamed.insert(part) }
    }

    /// Notes that a copy has an author, or is gone.
    mutating func note(named part: String) { unnamed.remove(part) }
}
