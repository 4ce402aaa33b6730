// The watches that the kernel has: how many there may be, which have ended, and which are to be ended.
// SPDX-License-Identifier: Apache-2.0

/// The watch descriptors of the inotify instance, whichever directory they are of.
///
/// Ending a watch queues an `IN_IGNORED`, so watches are ended a slice at a time. A crawling thread may hand over a watch that has
/// ended meanwhile, so ended ones are remembered as long as directories are being read.
struct WatchTable {
    /// How many there may be, for the threads too.
    let budget: WatchBudget
    /// Watches that the kernel has, or had a moment ago.
    private var held = WatchNumbers()
    /// Watches to be ended, in order. One that is wanted again leaves the set alone.
    private var unwantedInOrder: [Int32] = []
    private var unwanted: Set<Int32> = []
    /// When the stream has been read up to here, the queue has room for another slice of removals.
    private var removalPosition: UInt64 = 0
    /// Watches that have ended while directories are being read. Where they became too many they were forgotten, and every result
    /// with an earlier ticket than this counts as one that may speak of them.
    private var ended: Set<Int32> = []
    private var endedTicket: UInt64 = 0
    /// Directories that have no watch since there are too few, of all containers.
    private var overLimit = 0
    /// When directories that want a watch may get those that others have or have had.
    private(set) var nextBalance: UInt64?
    /// Events for watches that no directory has yet.
    var unknown = UnknownWatches()

    init(budget: WatchBudget) { self.budget = budget }

    // MARK: Watches that there are

    /// How many watches there are.
    var count: Int { held.count }

    func contains(_ watch: Int32) -> Bool { held.contains(watch) }

    /// Makes room for so many more.
    mutating func reserve(_ more: Int) { held.reserve(more) }

    /// There is a watch, and the directory that has it wants it.
    mutating func hold(_ watch: Int32) {
        if held.insert(watch) { budget.take() }
    }

    /// A watch is no more. Returns false where it was not held.
    mutating func release(_ watch: Int32) -> Bool {
        guard held.remove(watch) else { return false }
        budget.release()
        return true
    }

    // MARK: Watches to be ended

    var hasUnwanted: Bool { !unwantedInOrder.isEmpty }

    /// A watch is to be ended, unless it is wanted again before its turn.
    mutating func unwant(_ watch: Int32) {
        if unwanted.insert(watch).inserted { unwantedInOrder.append(watch) }
    }

    /// A watch is wanted again, or has ended by itself.
    mutating func want(_ watch: Int32) { unwanted.remove(watch) }

    /// Whether ``takeUnwanted(atMost:at:isUsed:)`` has something to give when the stream was read to a position.
    func canRemove(at position: UInt64) -> Bool { hasUnwanted && position >= removalPosition }

    /// Takes watches to be ended now, in order: none where the queue may have no room for their last events. `isUsed`
    /// returns whether a watch has got an owner meanwhile.
    mutating func takeUnwanted(atMost limit: Int, at position: UInt64, isUsed: (Int32) -> Bool) -> [Int32] {
        guard canRemove(at: position) else { return [] }
        var watches: [Int32] = []
        var taken = 0
        for watch in unwantedInOrder where watches.count < limit {
            taken += 1
            if unwanted.remove(watch) != nil, !isUsed(watch) { watches.append(watch) }
        }
        unwantedInOrder.removeFirst(taken)
        return watches
    }

    /// Watches were ended: their last events lie before this position of the stream.
    mutating func removed(before position: UInt64) { removalPosition = position }

    // MARK: Watches that have ended

    /// A watch has ended while directories are being read. Remembers at most `limit` of them; `ticket` makes the number that the next
    /// job would have.
    mutating func noteEnded(_ watch: Int32, limit: Int, ticket: @autoclosure () -> UInt64) {
        if ended.count >= limit {
            ended.removeAll(keepingCapacity: true)
            endedTicket = ticket()
        }
        ended.insert(watch)
    }

    /// Whether a watch has ended, as far as is remembered.
    func hasEnded(_ watch: Int32) -> Bool { ended.contains(watch) }

    /// Whether a watch may have ended that a job with this ticket was given, since not all are remembered.
    func mayHaveEnded(since ticket: UInt64) -> Bool { ticket < endedTicket }

    /// Nothing is being read any more.
    mutating func forgetEnded() { ended = [] }

    // MARK: The share of each directory

    /// The kernel has refused a watch: until one is given back there are no more.
    func wereRefused() { budget.setLimit(min(budget.count, budget.count + budget.room)) }

    /// A directory has no watch since there are too few, or that is over.
    mutating func countOverLimit(_ change: Int, now: @autoclosure () -> UInt64) {
        overLimit += change
        balanceSoon(now: now())
    }

    /// Has free watches handed out, or some taken back, after a while.
    mutating func balanceSoon(now: @autoclosure () -> UInt64) {
        guard nextBalance == nil, overLimit > 0 || budget.room < 0 else { return }
        nextBalance = now() &+ WatchLimits.balanceInterval
    }

    /// The balance could not be struck: it is tried again soon.
    mutating func balanceAgain(now: UInt64) { nextBalance = now &+ WatchLimits.balanceRetry }

    /// Returns whether it is time to strike the balance; then it is not any more.
    mutating func takeBalance(now: @autoclosure () -> UInt64) -> Bool {
        guard let time = nextBalance, now() >= time else { return false }
        nextBalance = nil
        return true
    }
}
