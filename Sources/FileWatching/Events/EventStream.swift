// The stream of inotify events: its position, its undecided records, and when it is read again.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The stream of events.
///
/// A position counts the bytes of the stream that were heard, plus 1, so that there is one before the first. The last
/// records of a reading may wait until the records after them decide their meaning. Times are nanoseconds of
/// ``WatchKernel/now()``.
struct EventStream {
    /// Where the stream was heard to.
    private(set) var position: UInt64 = 1
    /// Up to here barriers wait for everything, hot entries included.
    private(set) var forcedPosition: UInt64 = 0
    /// Bytes that were read and not heard: they come once more.
    private(set) var undecided = 0
    /// Bytes of one reading at most.
    let readLimit: Int
    private var times = ReadTimes()
    private var pace = ReadPace()
    /// When events are read again; nil for at once. See ``WatchSettings/hotReadPause``.
    private(set) var pauseEnd: UInt64?
    /// Whether all events of this reading told of entries that change all the time.
    private var isAllHot = false
    /// Whether all events of this reading told of contents, modes and times, and none of names that come or go.
    private var isAllContent = false

    init(readLimit: Int) { self.readLimit = readLimit }

    /// Begins where another process has ended.
    mutating func begin(at position: UInt64) { self.position = position }

    /// A barrier waits for everything up to a position.
    mutating func force(to position: UInt64) { forcedPosition = max(forcedPosition, position) }

    // MARK: Reading

    /// Begins the readings of an iteration. Returns the end of a pause that still goes on, for ``pause(until:)``: an iteration that has
    /// another reason, and finds nothing, does not end it.
    mutating func beginReading(at time: UInt64) -> UInt64? {
        defer { pauseEnd = nil }
        (isAllHot, isAllContent) = (true, true)
        return pauseEnd.flatMap { time < $0 ? $0 : nil }
    }

    /// Nothing is read before a time; nil for at once.
    mutating func pause(until time: UInt64?) { pauseEnd = time }

    /// Notes that so many bytes were read at a time, of which those that wait to be decided are the first. All of them count as heard
    /// until ``received(_:of:)``. Returns the position of the first.
    mutating func take(_ count: Int, at time: UInt64) -> UInt64 {
        defer { (position, undecided) = (position + UInt64(count), 0) }
        times.note(end: position + UInt64(count), time: time)
        return position
    }

    /// So many bytes of `count` that were read were heard. The rest waits for the next records.
    mutating func received(_ end: Int, of count: Int) {
        undecided = count - end
        position -= UInt64(undecided)
    }

    // MARK: Pauses

    /// An event has told of more than contents, modes and times.
    mutating func receivedNames() { (isAllHot, isAllContent) = (false, false) }

    /// An event has told of an entry that does not change all the time.
    mutating func receivedColdEntry() { isAllHot = false }

    /// So many events were read at once. If these are news that come fast and can wait, the next reading does.
    mutating func noteEvents(_ count: Int, now: UInt64, pause: UInt64) {
        pace.note(count, now: now)
        let pauses = undecided == 0 && (isAllHot || isAllContent && pace.isFast)
        pauseEnd = pauses ? now &+ pause : nil
    }

    /// Returns when the event at a position was read; see ``ReadTimes/time(of:)``.
    func time(of position: UInt64) -> UInt64? { times.time(of: position) }
}
