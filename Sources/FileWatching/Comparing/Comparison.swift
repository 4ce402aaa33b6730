// A comparison of a container's tree with the file system.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A comparison of a container's tree with the file system.
struct Comparison {
    enum Phase { case listing, additions, replacements, removals }

    enum Subject {
        /// All directories.
        case everything
        /// All directories, where the known entries come from before the container was found: no directory was read
        /// yet.
        case oldEntries
        /// Some directories: those without a watch, or a slice of the self-audit.
        case someDirectories
        /// Extended attributes of known entries, which are known to be right.
        case xattrs
    }

    let task: UInt32
    private(set) var subject: Subject
    /// The slice of the self-audit that it is, as long as nothing more is asked for.
    private(set) var audit: AuditSlice?
    /// The round (see ``CrawlPool/round``) from which on a reading of a directory is good enough.
    private(set) var round: UInt32 = 0
    /// When it began; nil before that: then it takes in whatever comes.
    private(set) var began: UInt64?
    /// How often it has begun again: for another overflow, and since look-ups of its own were given up.
    private(set) var beginnings = (widenings: 0, restarts: 0)
    /// Whether a directory that had no watch has got one meanwhile.
    var hasWatched = false
    /// Whether an overflow has caused it.
    private(set) var isPaced: Bool
    /// We are short of something: it goes on when there may be some again.
    var notBefore: UInt64?
    var phase = Phase.listing
    var queue: DirectoryQueue
    var found = FoundEntries()
    var missing = MissingEntries()
    var counts = ComparisonCounts()
    var completions: [(ComparisonCounts) -> Void] = []

    init(
        task: UInt32, of subject: Subject, directories: [DirectoryID] = [], isPaced: Bool = false, restarts: Int = 0
    ) {
        (self.task, self.subject, self.isPaced) = (task, subject, isPaced)
        queue = DirectoryQueue(directories)
        beginnings.restarts = restarts
    }

    // MARK: Subject

    /// Whether it is only of some directories.
    var isPoll: Bool { subject == .someDirectories }
    var isForXattrs: Bool { subject == .xattrs }
    var isVerification: Bool { subject == .oldEntries }
    /// Whether it is a slice of the self-audit.
    var isAudit: Bool { audit != nil }
    /// Whether only its own caller waits for it, so that it delays no change that an event reported.
    var isInBackground: Bool { isPoll || isForXattrs }
    /// Whether entries held now will be looked at before the end.
    var holdsRemovals: Bool { phase == .listing || phase == .additions }
    /// Whether it is listing all directories.
    var isListingAll: Bool { phase == .listing && !isInBackground }
    /// Whether look-ups of its own are under way, as against readings.
    var isLookingUp: Bool { phase == .additions || phase == .replacements }

    // MARK: Beginning

    /// Begins it; directories read before the round are read again.
    mutating func begin(at time: UInt64, round: UInt32) { (began, self.round) = (time, round) }

    /// Whether it has begun, for more than some directories or extended attributes: to take in an overflow then has it begin again.
    var wouldBeginAgain: Bool { began != nil && !isInBackground }

    /// Has it compare everything, whatever it was for, from the beginning; `round` gives the round from now on. One
    /// that a caller asks for goes on at once, and directories read before now are read again: they may have been read
    /// before the request.
    mutating func widen(isPaced: Bool, round: () -> UInt32) {
        if wouldBeginAgain { beginnings.widenings += 1 }
        if subject != .oldEntries { subject = .everything }
        audit = nil
        if isPaced { self.isPaced = true } else { notBefore = nil }
        if began != nil { self.round = round() }
        phase = .listing
    }

    /// Returns whether it may begin again for look-ups that were given up, and counts that.
    mutating func restart(limit: Int) -> Bool {
        guard beginnings.restarts < limit else { return false }
        beginnings.restarts += 1
        return true
    }

    // MARK: Audit

    /// It is a slice of the self-audit.
    mutating func beginAudit() { audit = AuditSlice() }

    /// A file with one name was found that is not known there.
    mutating func noteUnknown(_ file: InodeNumber) { audit?.unknownFiles.insert(file) }

    /// All was read when the stream was there. Returns the files that were found and not known there.
    mutating func settleAudit(at position: UInt64) -> Set<InodeNumber> {
        defer { audit?.unknownFiles = [] }
        audit?.settled = position
        return audit?.unknownFiles ?? []
    }
}
