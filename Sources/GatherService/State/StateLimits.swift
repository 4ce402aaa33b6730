// Limits of the saved state.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Limits of the saved state.
package enum StateLimits {
    /// Bytes of the journal that are kept for those who come back, beside what the last saved indexes need.
    package static let journalBytes = 64 << 20
    /// A segment that has grown to this is a reason to save the indexes.
    static let segmentBytes = 64 << 20
    /// A segment is never larger: changes are not saved beyond until the indexes were.
    static let largestSegment = 512 << 20
    /// How long what was written to the journal may wait to be forced to the disk. The daemon's end loses nothing of it, the
    /// machine's may.
    static let synchronizeAfter = TimeAmount.seconds(5)
    /// How long to wait before saving is tried again after it failed, at first; then twice as long each time.
    package static let retryAfter = TimeAmount.seconds(10)
}
