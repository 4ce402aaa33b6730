// The known facts about access to one container.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries

/// Remembers when the access to a container changed, whether it is verified, and the last census of a viewer.
struct ContainerAccess {
    /// The daemon's clock at the last change of access that was no change of the index.
    private(set) var changed: UInt64 = 0
    /// The access as it was when the daemon before this one ended, until it was looked at anew: then it is known whether callers who
    /// do not see everything can go on with clocks from before.
    private(set) var formerAncestorAccess: [UInt8]?
    /// Whether the known items of the container were compared with the file system, or read from it, since it was
    /// found.
    private(set) var isVerified = false
    /// The last census of a viewer, at a clock of the index.
    private var census: (viewer: Viewer, clock: UInt64, census: Census)?

    /// A container of which nothing is known.
    init() {}

    /// The access as it was saved, with that to the directories above; empty if callers were not told apart.
    init(changed: UInt64, ancestorAccess: [UInt8]) {
        self.changed = changed
        if !ancestorAccess.isEmpty { formerAncestorAccess = ancestorAccess }
    }

    /// Whether it is not known yet if callers see the same items as before the daemon started.
    var isUnsure: Bool { formerAncestorAccess != nil }

    /// Whether callers see the same items as at a clock of the daemon, but for changes of the index.
    func isSame(since sequence: UInt64) -> Bool { changed <= sequence }

    /// Notes a change at a clock of the daemon.
    mutating func noteChange(at sequence: UInt64) { changed = sequence }

    /// Returns the access before the daemon started, if it was not looked at anew since. From now on that of now counts.
    mutating func takeFormerAncestorAccess() -> [UInt8]? { formerAncestorAccess.take() }

    /// Notes that the container is compared with the file system. Returns whether it was not before.
    mutating func noteVerified() -> Bool {
        defer { isVerified = true }
        return !isVerified
    }

    /// Notes that the container is unavailable: nothing of it is verified when it is found again.
    mutating func noteUnavailable() { isVerified = false }

    /// Returns the census of a viewer, if it was the last one taken and is of the present clock of the index.
    func census(of viewer: Viewer, at clock: UInt64) -> Census? {
        guard let census, census.viewer == viewer, census.clock == clock else { return nil }
        return census.census
    }

    /// Notes the census of a viewer at a clock of the index.
    mutating func note(_ census: Census, of viewer: Viewer, at clock: UInt64) { self.census = (viewer, clock, census) }
}
