// The versions that this device saved lately.
// SPDX-License-Identifier: Apache-2.0

/// The versions that this device saved in a folder while a session runs, and the times at which its list is written. One task at a time
/// waits to write it. A burst of saves makes two versions of the list.
struct RecentSaves {
    /// The time of an event. Only differences count.
    typealias Moment = ContinuousClock.Instant

    /// Versions that are not in the list yet, the oldest first.
    private(set) var unlisted: [SavedVersion] = []
    /// Versions that leave the list, since their files were saved often since. A log would fill the list by itself.
    private(set) var former: Set<SavedVersion> = []
    private var byFile: [String: [SavedVersion]] = [:]
    private var isListing = false
    /// The earliest time of the next version of the list.
    private var nextListing = Moment.now

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

    /// Returns the time at which a task has to write the list; nil if a task waits for it already.
    mutating func beginListing() -> Moment? {
        defer { isListing = true }
        return isListing ? nil : nextListing
    }

    /// Begins to write the list. Versions that other devices wrote are forgotten.
    mutating func beginWriting(without isOfOthers: (SavedVersion) -> Bool) {
        isListing = false
        unlisted.removeAll(where: isOfOthers)
    }

    /// Notes that the list has all of it.
    mutating func wereListed() {
        unlisted = []
        former = []
    }

    /// Notes that a list of so many bytes was written, which has all of it. Syncthing sends the list as a whole, so a long one is
    /// written more rarely.
    mutating func wereListed(inBytes count: Int, at now: Moment) {
        wereListed()
        let pause = Duration.milliseconds(count * 1000 / SyncLimits.savedListBytesPerSecond)
        nextListing = now + max(SyncLimits.savedListPause, pause)
    }

    /// Notes that the list could not be written. The versions stay unlisted, so that at least this device knows what it saved.
    mutating func couldNotBeListed(at now: Moment) { nextListing = now + SyncLimits.failedListPause }
}
