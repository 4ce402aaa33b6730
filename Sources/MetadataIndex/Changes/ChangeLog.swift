// The most recent change sets, to be merged for a subscriber that resumes from a clock.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The most recent change sets: each advances the clock by one. Bounded by entries and bytes; the oldest sets are dropped
/// first.
///
/// Sets are appended to segments, since a set of one change in arrays of its own would take four allocations.
struct ChangeLog: Sendable {
    /// How many changes are kept at most.
    static let maximumChanges = 262_144
    /// How many bytes they may take at most.
    static let maximumBytes = 32 << 20
    /// A segment is closed when it holds so many changes, and dropped whole.
    static let segmentChanges = 8_192
    /// The most combinations of attributes in a segment: a part of the access lists that the history of one owner may name. A
    /// segment that names too many of them is dropped whole.
    static let segmentAttributes = AccessLists.countOfOwner / AccessListAllowance.part / 4

    private struct Segment: Sendable {
        var changes: [ChangeSet.Change] = []
        var preImages = PreImageStore()
        /// Where each set of the segment begins in `changes`.
        var starts: [Int] = []
        /// The clock before the first set of the segment.
        var since: UInt64

        /// Where in `changes` the sets after `clock` begin.
        func start(after clock: UInt64) -> Int {
            let skipped = clock > since ? clock - since : 0
            return skipped < starts.count ? starts[Int(skipped)] : changes.count
        }

        var byteCount: Int { changes.capacity * 8 + starts.capacity * 8 + preImages.byteCount }
    }

    private var segments: [Segment] = []
    private var closedChanges = 0
    private var closedBytes = 0
    /// The log reaches back to this clock.
    private(set) var floor: UInt64 = 0

    let maximumChanges: Int
    let maximumBytes: Int

    init(maximumChanges: Int = ChangeLog.maximumChanges, maximumBytes: Int = ChangeLog.maximumBytes) {
        self.maximumChanges = maximumChanges
        self.maximumBytes = maximumBytes
    }

    var byteCount: Int { closedBytes + (segments.last?.byteCount ?? 0) }

    /// Forgets everything up to `clock`.
    mutating func cut(at clock: UInt64) {
        segments = []
        closedChanges = 0
        closedBytes = 0
        floor = clock
    }

    /// Keeps a set, the one that led to `set.clock`.
    mutating func append(_ set: borrowing ChangeSet) {
        if set.count > maximumChanges {
            cut(at: set.clock)
            return
        }
        if segments.last.map({ isFull($0) }) ?? true {
            if let last = segments.last {
                closedChanges += last.changes.count
                segments[segments.count - 1].preImages.finish()
                closedBytes += segments[segments.count - 1].byteCount
            }
            segments.append(Segment(since: set.since))
        }
        let last = segments.count - 1
        segments[last].starts.append(segments[last].changes.count)
        for change in set.changes {
            var copy = change
            if change.preImage != ChangeSet.noPreImage {
                copy.preImage = segments[last].preImages.append(set.preImages.record(change), of: set.preImages)
            }
            segments[last].changes.append(copy)
        }
        while closedChanges + segments[segments.count - 1].changes.count > maximumChanges || byteCount > maximumBytes {
            let first = segments.removeFirst()
            guard let next = segments.first else {
                cut(at: set.clock)
                return
            }
            closedChanges -= first.changes.count
            closedBytes -= first.byteCount
            floor = next.since
        }
    }

    /// Calls `body` with the access lists named in each segment, the newest first, until it returns false: then that
    /// one is forgotten, with all before it.
    mutating func shorten(at clock: UInt64, unless body: ([FileAccess]) -> Bool) {
        for place in segments.indices.reversed() {
            var past: [FileAccess] = []
            segments[place].preImages.forEachAccess { if $0.accessList.isKept { past.append($0) } }
            if past.isEmpty || body(past) { continue }
            guard place + 1 < segments.count else { return cut(at: clock) }
            for gone in segments[...place] {
                closedChanges -= gone.changes.count
                closedBytes -= gone.byteCount
            }
            segments.removeFirst(place + 1)
            floor = segments[0].since
            return
        }
    }

    /// Gives a file system another number.
    mutating func renumber(device: UInt64, to other: UInt64) {
        updatePreImages { $0.renumber(device: device, to: other) }
    }

    /// Names access lists by other handles.
    mutating func replaceLists(_ lists: [AccessListID: AccessListID]) { updatePreImages { $0.replaceLists(lists) } }

    private mutating func updatePreImages(_ body: (inout PreImageStore) -> Void) {
        for place in segments.indices {
            let isClosed = place + 1 < segments.count
            if isClosed { closedBytes -= segments[place].byteCount }
            body(&segments[place].preImages)
            if isClosed { closedBytes += segments[place].byteCount }
        }
    }

    /// Returns whether the next set begins a new segment. At most an eighth of the kept history is dropped at a time.
    private func isFull(_ segment: Segment) -> Bool {
        segment.changes.count >= min(ChangeLog.segmentChanges, maximumChanges / 8)
            || segment.preImages.attributesCount >= ChangeLog.segmentAttributes
            || segment.byteCount >= maximumBytes / 8
    }

    /// How many changes the sets after `clock` have. Complexity: O(segments).
    func count(since clock: UInt64) -> Int {
        segments.reduce(0) { $0 + $1.changes.count - $1.start(after: clock) }
    }

    /// Returns the sets after `clock`, for another thread; it may hold a few earlier ones.
    func tail(since clock: UInt64) -> ChangeLog {
        var tail = ChangeLog(maximumChanges: maximumChanges, maximumBytes: maximumBytes)
        tail.segments = segments.filter { $0.start(after: clock) < $0.changes.count }
        return tail
    }

    /// Merges all sets after `clock`: the earliest pre-image of each row stays. `clock` is not below `floor`.
    func merge(since clock: UInt64, into merged: inout ChangeSet) {
        for segment in segments {
            for change in segment.changes[segment.start(after: clock)...] {
                merged.adopt(change, of: segment.preImages)
            }
        }
    }
}

extension ChangeSet {
    /// Adds a change of a later set, unless the row is known already. `firstHeld` is the place here of the other's
    /// first held block, nil if this set does not hold them.
    mutating func adopt(_ change: Change, of preImages: borrowing PreImageStore, firstHeld: UInt32? = nil) {
        if contains(change.row) { return }
        var preImage = ChangeSet.noPreImage
        if change.preImage != ChangeSet.noPreImage {
            preImage =
                if let firstHeld, PreImageStore.isHeld(change) {
                    firstHeld + (change.preImage - PreImageStore.firstHeld)
                } else {
                    self.preImages.append(preImages.record(change), of: preImages)
                }
        }
        append(change.row, preImage: preImage)
    }
}
