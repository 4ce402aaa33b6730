// Limits of the saved state.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Limits of the saved state.
package enum PersistenceLimits {
    /// Bytes of journal kept for subscribers that resume, besides the part that the saved indexes need.
    package static let journalBytes = 64 << 20
    /// The size at which a segment is followed by the next one. A restart has one segment in memory at a time.
    package static let segmentBytes = 16 << 20
    /// The limit of the journal and of a segment. Beyond it, changes are not written until the indexes are saved.
    package static let largestJournal = 512 << 20
    /// The largest change set that is written to the journal. For a larger one the index is saved instead, which blocks
    /// nothing. The save waits for a part of the snapshot interval, since a directory that moves to and fro would
    /// otherwise cost a whole index each time.
    package static let largestSet = 131_072
    static let intervalParts: Int64 = 10
    /// An index is saved again when its journal reaches one such part of its size, and at least ``leastJournaled``
    /// bytes. So a restart reads less journal than index, and saving writes at most that many times the changed bytes.
    static let savedParts = 16
    static let leastJournaled = 64 << 10
    /// The longest time until an index with changes is saved again, unless the snapshot interval is longer.
    static let longestInterval = TimeAmount.hours(6)
    /// The longest time until journal bytes are forced to the disk (fsync(2)). The end of the process loses none of
    /// them; a loss of power may.
    static let synchronizeAfter = TimeAmount.seconds(5)
    /// The time until saving is tried again after a failure. It doubles each time.
    package static let retryAfter = TimeAmount.seconds(10)
}
