// Limits of the saved state.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Limits of the saved state.
package enum StateLimits {
    /// Bytes of the journal that are kept for those who come back, beside what the last saved indexes need.
    package static let journalBytes = 64 << 20
    /// A segment that has grown to this is followed by the next: a restart has one of them in memory at a time.
    package static let segmentBytes = 16 << 20
    /// The journal is never larger, nor a segment: changes are not saved beyond until the indexes were.
    package static let largestJournal = 512 << 20
    /// A set of more changes is not written to the journal: to save the index anew holds up nobody. That waits for a part of
    /// the interval since it was saved last, or a directory that goes back and forth would cost the whole index each time.
    package static let largestSet = 131_072
    static let intervalParts: Int64 = 10
    /// An index is saved anew when the journal has so much of it that is not in there: one part of what is saved, and never
    /// less than some hundreds of changes. To read this part takes a restart less than the index itself, and saving writes
    /// that many times what changed at most.
    static let savedParts = 16
    static let leastJournaled = 64 << 10
    /// However little has changed, an index is saved anew after this time, or the interval where that is longer.
    static let longestInterval = TimeAmount.hours(6)
    /// How long what was written to the journal may wait to be forced to the disk. The daemon's end loses nothing of it, the
    /// machine's may.
    static let synchronizeAfter = TimeAmount.seconds(5)
    /// How long to wait before saving is tried again after it failed, at first; then twice as long each time.
    package static let retryAfter = TimeAmount.seconds(10)
}
