// The comparisons of a container, one at a time.
// SPDX-License-Identifier: Apache-2.0

/// The comparison of a container that is under way, and those that follow it.
struct ContainerComparisons {
    /// The one that is under way.
    var current: Comparison?
    /// The one that begins when that has ended: more events were lost after it had taken in as many overflows as it may.
    private(set) var next: Comparison?
    /// The reading of extended attributes that was asked for meanwhile, and begins after both.
    private var xattrs: Comparison?
    /// Before this no comparison begins for an overflow, in nanoseconds of ``WatchKernel/now()``.
    private var pauseEnd: UInt64 = 0

    /// Whether another one follows.
    var hasMore: Bool { next != nil || xattrs != nil }

    /// Whether a task is that of one that has not ended.
    func has(_ task: UInt32) -> Bool { current?.task == task || next?.task == task || xattrs?.task == task }

    /// Begins one where none is under way. A paced one waits for the end of the pause.
    mutating func begin(_ comparison: Comparison, now: UInt64) {
        current = comparison
        if comparison.isPaced, now < pauseEnd { current?.notBefore = pauseEnd }
    }

    /// One follows the one under way.
    mutating func follow(_ comparison: Comparison) { next = comparison }

    /// Extended attributes are read at once, or after the comparison under way.
    mutating func readXattrs(_ comparison: Comparison) {
        if current == nil { current = comparison } else { xattrs = comparison }
    }

    /// Calls `completion` when the last one that looks at all directories has ended.
    mutating func complete(_ completion: @escaping (ComparisonCounts) -> Void) {
        if next != nil { next?.completions.append(completion) } else { current?.completions.append(completion) }
    }

    /// Ends the one under way, and returns it; the next one begins. After one for an overflow there is a pause as long as it has
    /// taken, `longestPause` nanoseconds at most.
    mutating func end(now: UInt64, longestPause: UInt64) -> Comparison? {
        guard let ended = current else { return nil }
        current = next ?? xattrs.take()
        next = nil
        if ended.isPaced, let began = ended.began { pauseEnd = now &+ min(now &- began, longestPause) }
        if current?.isPaced == true { current?.notBefore = pauseEnd }
        return ended
    }
}
