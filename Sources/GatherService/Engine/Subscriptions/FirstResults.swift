// The first phase of a live query, until its first results are told.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries

/// Has the first phase of a live query: it waits for its containers and for a turn, scans, and tells the first results.
///
/// The caller lets go of waits and turns, since the next in line may begin before such a call returns.
struct FirstResults {
    /// Waits for containers.
    private var waiter: Waiter?
    /// The turn for a scan that is made off the loop, which ends with the scan.
    private var turn: TurnQueue.Place?
    /// Where the scan is made.
    private(set) var lane = Workload.Lane.shared
    private var scanGuard: ScanGuard?
    /// Whether a scan, or first results on their way into bytes, are out on another thread.
    private(set) var isAway = false
    /// Whether the subscriber holds an earlier answer, so that the first phase is the difference from that.
    private(set) var isResumed = false
    private var size = ReplySize()

    // MARK: Waiting

    /// Waits for containers. A wait that was done at once may have begun another, which counts.
    mutating func wait(_ waiter: Waiter) {
        if !waiter.isDone { self.waiter = waiter }
    }

    mutating func waitIsOver() { waiter = nil }

    /// Whether the turn for the scan has come.
    var hasTurn: Bool { turn != nil }

    /// Begins to wait for a turn in a lane.
    mutating func awaitTurn(in lane: Workload.Lane) { self.lane = lane }

    /// Takes a turn that has come, or is waited for.
    mutating func take(_ turn: TurnQueue.Place) { self.turn = turn }

    /// Returns the turn, which the caller has to leave; nil if there is none.
    mutating func giveTurn() -> TurnQueue.Place? { turn.take() }

    // MARK: Scanning

    /// Notes whether the first phase is the difference from an earlier answer.
    mutating func noteResumed(_ isResumed: Bool) { self.isResumed = isResumed }

    /// Begins a scan, which the end of the live query cancels.
    mutating func beginScan(_ scanGuard: ScanGuard) {
        isAway = true
        self.scanGuard = scanGuard
    }

    /// Ends the scan. Returns its turn, which the caller has to leave.
    mutating func endScan() -> TurnQueue.Place? {
        isAway = false
        scanGuard = nil
        return giveTurn()
    }

    // MARK: Telling

    /// Begins a reply. Returns how many items it may take.
    mutating func beginReply() -> Int {
        isAway = true
        return size.items
    }

    /// Ends a reply. The next one goes by its size.
    mutating func endReply(items: Int, bytes: Int) {
        isAway = false
        size.note(items: items, bytes: bytes)
    }

    // MARK: Ending

    /// Ends the phase: a scan is cancelled. Returns the wait and the turn to let go of. If a scan is under way, it has the turn until it
    /// has ended.
    mutating func end() -> (waiter: Waiter?, turn: TurnQueue.Place?) {
        scanGuard?.cancel()
        return (waiter.take(), isAway ? nil : giveTurn())
    }
}
