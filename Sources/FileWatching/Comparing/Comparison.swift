// A comparison of a container's tree with the file system.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A comparison of a container's tree with the file system.
struct Comparison {
    enum Phase { case listing, additions, replacements, removals }

    var task: UInt32
    /// Whether it is only of some directories, those without a watch.
    var isPoll: Bool
    /// Whether it is only to read extras of what is known, and known to be right.
    var isForExtras = false
    /// Whether nobody waits for it but who asks for just that, so that it holds up nothing that an event has told.
    var isInBackground: Bool { isPoll || isForExtras }
    /// The round (see ``CrawlPool/round``) from which on a reading of a directory is good enough.
    var round: UInt32 = 0
    /// When it began; nil before that: then it takes in whatever comes.
    var began: UInt64?
    /// How often it has begun again for another overflow.
    var widenings = 0
    /// Whether it is a slice of the self-audit; a poll then, as long as nothing more is asked for.
    var isAudit = false
    /// Whether a directory that had no watch has got one meanwhile.
    var hasWatched = false
    /// For that: where the stream was when all was read, and the files with one name that were found and not known there.
    var settled: UInt64?
    var unknownFiles: Set<InodeNumber> = []
    /// Whether an overflow has caused it.
    var isPaced = false
    var phase = Phase.listing
    /// How often look-ups of its own that were given up have made it begin again.
    var restarts = 0
    /// Whether what is known comes from before the container was found: nothing of it was read yet.
    var isVerification = false
    /// We are short of something: it goes on when there may be some again.
    var notBefore: UInt64?
    var queue: [DirectoryID] = []
    var next = 0
    var found = FoundEntries()
    var missing = MissingEntries()
    /// Events that may tell where the missing entries went lie before this in the stream, and are heard first.
    var endOfMissing: UInt64 = 0
    var counts = ComparisonCounts()
    var completions: [(ComparisonCounts) -> Void] = []

    /// Whether what is held now will be looked at before the end.
    var holdsRemovals: Bool { phase == .listing || phase == .additions }
    /// Whether it is on its way through all directories, for what they hold.
    var isListingAll: Bool { phase == .listing && !isInBackground }
    /// Whether look-ups of its own are under way, as against readings.
    var isLookingUp: Bool { phase == .additions || phase == .replacements }
}
