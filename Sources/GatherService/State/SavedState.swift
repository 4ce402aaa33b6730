// What a daemon finds of the one before it.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// What a daemon finds of the one before it: the indexes brought forward by the journal, and the clocks that are known.
struct SavedState {
    /// The index of one container.
    struct Container {
        let index: MetadataIndex
        let clocks: ClockMap
        let description: SavedDescription
        /// Whether the journal had more than what was saved.
        let isDirty: Bool
        /// Bytes of what was saved, and of its changes in the journal beyond that.
        let savedBytes: Int
        let journaledBytes: Int
        /// Whether identifiers begin above all that may have been given out and are not known.
        let isRaised: Bool
        /// Whether what follows may go into the journal: it leads on from what was saved. Where it does not, the next start
        /// would stand where this one does.
        let isJournaled: Bool
    }

    /// A segment of the journal that is whole.
    struct Segment: Sendable {
        var name: String
        var number: UInt64
        var byteCount: Int
    }

    /// By identifier.
    var containers: [String: Container] = [:]
    /// The daemon's sequence at the end of the journal.
    var sequence: UInt64 = 0
    /// The sequence when a container was removed last.
    var lastRemoval: UInt64 = 0
    var history = ClockHistory()
    /// The segments that lead up to the end, in order.
    var segments: [Segment] = []
    /// Those before them: nothing leads from there to the end.
    var orphans: [Segment] = []
    var nextSegment: UInt64 = 1
    /// Whether what is written from now on goes on from the last segment, as the next start will look at it.
    var isContinuation = false
    /// The incarnation that has written the last segment; nil where there is none, or it was of no use.
    var lastRun: UInt64?
    /// Whether items may have been told that belong to a container of which nothing is known any more.
    var hasVanished = false
    /// What is not used of what was saved.
    var useless: [Useless] = []
    /// The indexes that the journal speaks of and that are of no use any more, by epoch.
    var vanished: Set<UInt64> = []
    /// Where files have to be put right, once what follows from that is on disk.
    var repairs: [Repair] = []
    /// What is to be said of it.
    var notes: [String] = []

    /// An index that is not used, and goes when the disk has that its items are forgotten.
    struct Useless: Sendable {
        let name: String
        /// Whether it is only put aside, for whoever wants to look at it.
        let isKept: Bool
    }

    enum Repair {
        /// The file ends with half a record.
        case truncate(name: String, byteCount: Int)
        /// What was missing behind the segment is accounted for.
        case rename(name: String, to: String)
        /// The segment is of no use; that it was there says that something may be lost.
        case setAside(name: String)
    }
}
