// The kinds of work that events cause, as barriers and the handover see them.
// SPDX-License-Identifier: Apache-2.0

/// A kind of work that an event may have caused, and that may be under way. Each piece of work has the position of its event.
enum WorkKind: CaseIterable {
    /// Crawls and comparisons.
    case readings
    /// Readings of single directories that another piece of work waits for.
    case awaitedReadings
    /// Pending renames.
    case renames
    /// Look-ups that wait for queued events.
    case deferredLookUps
    /// Names to look at.
    case names
    /// Findings of look-ups about files with several names.
    case linkNews
    /// Files with several names, of which not all are known.
    case linkedFiles
    /// The same, of crawls.
    case crawledLinks
    /// Files with several names, one of which was lost.
    case unresolvedLinks
    /// Containers whose root is to be looked at.
    case roots
    /// Events for watches that are not known yet. The reading that has made the watch is waited for, and these with it.
    case heldEvents
}
