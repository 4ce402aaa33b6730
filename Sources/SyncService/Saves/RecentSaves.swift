// The versions that this device saved lately.
// SPDX-License-Identifier: Apache-2.0

/// The versions that this device saved in a folder while a session runs.
struct RecentSaves {
    /// Versions that are not in the list yet, the oldest first.
    var unlisted: [SavedVersion] = []
    /// Versions that leave the list, since their files were saved often since. A log would fill the list by itself.
    private(set) var former: Set<SavedVersion> = []
    private var byFile: [String: [SavedVersion]] = [:]

    /// Adds a version of a file.
    mutating func add(_ version: SavedVersion, of part: String) {
        unlisted.append(version)
        former.remove(version)
        if unlisted.count > SyncLimits.savedVersions { unlisted.removeFirst() }
        if byFile.count > SyncLimits.savedVersions { byFile.removeAll() }
        byFile[part, default: []].append(version)
        if byFile[part]?.count ?? 0 > SyncLimits.savedVersionsOfFile, let first = byFile[part]?.removeFirst() {
            // While the list cannot be written, they grow. Those that stay in the list do no harm.
            if former.count >= SyncLimits.savedVersions { former.removeAll() }
            former.insert(first)
        }
    }

    /// Notes that the list has all of it.
    mutating func wereListed() {
        unlisted = []
        former = []
    }
}
