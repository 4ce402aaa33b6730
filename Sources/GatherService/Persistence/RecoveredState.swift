// The saved state of the previous process.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The saved state of the previous process: the indexes with the journal applied, and the known clocks.
struct RecoveredState {
    /// The index of one container.
    struct Container {
        let index: MetadataIndex
        let clocks: ClockMap
        let description: SnapshotDescription
        /// Whether the journal has changes after the saved index.
        let isDirty: Bool
        /// The bytes of the saved index, and of its later changes in the journal.
        let savedBytes: Int
        let journaledBytes: Int
        /// Whether new identifiers start above all that may have been given out and are unknown.
        let isRaised: Bool
        /// Whether the journal may continue from the saved index. If not, the next start would begin from the same
        /// point.
        let isJournaled: Bool
    }

    /// A complete segment of the journal.
    struct Segment: Sendable {
        var name: String
        var number: UInt64
        var byteCount: Int
    }

    /// The containers by identifier.
    var containers: [String: Container] = [:]
    /// The daemon's sequence at the end of the journal.
    var sequence: UInt64 = 0
    /// The daemon's sequence at the last removal of a container.
    var lastRemoval: UInt64 = 0
    var history = ClockHistory()
    /// The segments that lead to the end of the journal, in order.
    var segments: [Segment] = []
    /// Earlier segments, before a gap in the journal.
    var orphans: [Segment] = []
    var nextSegment: UInt64 = 1
    /// Whether new journal records continue the last segment, as the next start will read it.
    var isContinuation = false
    /// The run that wrote the last segment; nil if there is none or it is unusable.
    var lastRun: UInt64?
    /// Whether items of a container may have been published whose state is lost.
    var hasVanished = false
    /// The saved files that are not used.
    var useless: [Useless] = []
    /// The epochs of unusable indexes that the journal names.
    var vanished: Set<UInt64> = []
    /// The repairs of files, to be made after the new state is on the disk.
    var repairs: [Repair] = []
    /// The messages for the log.
    var notes: [String] = []

    /// An unused index. It is removed after the disk has the record that its items are forgotten.
    struct Useless: Sendable {
        let name: String
        /// Whether the file is kept for inspection.
        let isKept: Bool
    }

    enum Repair {
        /// Cuts the file to its complete records.
        case truncate(name: String, byteCount: Int)
        /// Renames the segment. The new name records that changes after it are missing.
        case rename(name: String, to: String)
        /// Sets an unusable segment aside. Its presence shows that changes may be lost.
        case setAside(name: String)
    }
}
