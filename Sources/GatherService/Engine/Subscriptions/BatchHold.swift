// The batch time of a live query, for which its changes are held.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Holds the changes of a live query for its batch time, counted from the first one, so that they go out together.
struct BatchHold {
    private let milliseconds: Int64
    /// Runs while changes are held.
    private var timer: Scheduled<Void>?
    /// Whether pending changes may go out.
    private var isReleased = false

    /// - Parameter milliseconds: the batch time; with 0 no change is held.
    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether changes may ever be held.
    var holdsChanges: Bool { milliseconds > 0 }

    /// Releases pending changes if there are too many to be held. Returns whether they may go out, with all that come before that.
    mutating func releaseIfFull(items: Int) -> Bool {
        if items >= Limits.itemsHeldForBatch { isReleased = true }
        return !holdsChanges || isReleased
    }

    /// Holds changes, unless some are held already. `schedule` has ``timeIsOver()`` called after a time.
    mutating func hold(_ schedule: (TimeAmount) -> Scheduled<Void>) {
        if timer == nil { timer = schedule(.milliseconds(milliseconds)) }
    }

    /// Lets pending changes go out: the timer has ended.
    mutating func timeIsOver() {
        timer = nil
        release()
    }

    /// Lets pending changes go out without waiting for the timer.
    mutating func release() { isReleased = true }

    /// Nothing is pending any more: the next change is the first of a batch.
    mutating func noteAllPublished() {
        isReleased = false
        timer?.cancel()
        timer = nil
    }
}
