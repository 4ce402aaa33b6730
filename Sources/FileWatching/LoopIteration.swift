// One iteration of the watcher's loop: when it began, when it should end, and how much of it is used.
// SPDX-License-Identifier: Apache-2.0

/// The iteration of the loop that is under way. Times are nanoseconds of ``WatchKernel/now()``.
///
/// An iteration has a deadline. A few look-ups are made in any case, fewer in deep trees, where each costs as much as there are
/// directories above it: so work goes on however slow the system is.
struct LoopIteration {
    /// Counts the iterations.
    private(set) var number: UInt32 = 0
    /// When it began.
    private(set) var began: UInt64 = 0
    private var deadline: UInt64 = 0
    private var lookUps = 0
    /// Directories that were climbed over.
    private var steps = 0
    private var firstPosition = UInt64.max

    /// Begins an iteration that should end after so many nanoseconds.
    mutating func begin(at time: UInt64, budget: UInt64) {
        number &+= 1
        (began, deadline) = (time, time &+ budget)
        (lookUps, steps, firstPosition) = (0, 0, .max)
    }

    /// Sets the time of an iteration that does no look-ups.
    mutating func begin(at time: UInt64) { began = time }

    /// Other work begins: it has time until `deadline` at least.
    mutating func extend(to deadline: UInt64) { self.deadline = max(self.deadline, deadline) }

    /// The work that follows is done whatever time it takes; until another deadline is set.
    mutating func setDeadline(_ deadline: UInt64) { self.deadline = deadline }

    /// A look-up is made, for an event at a position if one has caused it.
    mutating func noteLookUp() { lookUps += 1 }

    /// So many directories are climbed over.
    mutating func noteSteps(_ count: Int) { steps += count }

    /// Work of another kind begins, of which a little is done in any case.
    mutating func restartCounting() { (lookUps, steps) = (0, 0) }

    /// A look-up was made for an event at this position.
    mutating func notePosition(_ position: UInt64) { firstPosition = min(firstPosition, position) }

    /// The position of the oldest event that a look-up of this iteration was made for; nil for none.
    var oldestPosition: UInt64? { firstPosition == .max ? nil : firstPosition }

    /// Whether it has climbed over as many directories as it does in any case.
    var hasTakenSteps: Bool { steps >= WatchLimits.stepsPerIteration }

    /// Whether the deadline is over. `now` is evaluated for that.
    func isPastDeadline(_ now: UInt64) -> Bool { now >= deadline }

    /// Whether no more look-ups are to be made. The clock is not asked for each.
    func isOver(now: @autoclosure () -> UInt64) -> Bool {
        if hasTakenSteps { return now() >= deadline }
        guard lookUps >= WatchLimits.lookUpsPerIteration else { return false }
        return lookUps % 16 == 0 && now() >= deadline
    }
}
