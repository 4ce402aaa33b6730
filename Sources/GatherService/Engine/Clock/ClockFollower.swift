// Live queries that follow the time of day: their items leave when their time is over, with no change on disk.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import Metadata
import NIOCore

/// A container whose live queries may follow the time of day.
protocol ClockFollowing {
    /// Whether its changes wait, so that its queries stay at the moment at which they are.
    var isHeldAtMoment: Bool { get }
    /// Whether a query follows the time of day.
    var followsClock: Bool { get }
    /// The nearest moment at which an item leaves, in nanoseconds since 1970; nil if there is none.
    var nextMoment: Int64? { get }
    /// Whether queries were brought to a later moment, since the time of day was set back.
    func isAhead(of now: Timestamp) -> Bool
}

/// Brings live queries to the present, all to one moment, and sets the one timer for the nearest moment to come. Without a
/// query that follows the time of day nothing is done, and there is no timer. Event loop only.
///
/// Timers go by a clock that is never set. A thread waits for the time of day to be set, from the first such query on. Where it
/// cannot, the time of day is looked at after `interval` at the latest.
final class ClockFollower {
    /// The time of day up to which the live queries have been brought.
    private(set) var moment: Timestamp
    /// The number of timers that were set.
    private(set) var timersSet: UInt64 = 0

    private let loop: any EventLoop
    private let interval: TimeAmount
    private let timeOfDay: @Sendable () -> Timestamp
    private let startWatch: DaemonOptions.WatchClock
    private let isDue: () -> Void
    private let isSet: @Sendable () -> Void
    private let hasFailed: (SystemError) -> Void
    /// Nil before a live query follows the time of day, and where it cannot be watched.
    private var watch: ClockWatch?
    private var hasTriedWatch = false
    private var isFollowing = false
    private var timer: (moment: Int64, task: Scheduled<Void>)?

    /// - Parameters:
    ///   - isDue: Called when a moment has come, which ``follow(_:bring:)`` is to be called for.
    ///   - isSet: Called from another thread when the time of day was set, once until ``arm()``.
    ///   - hasFailed: Called once if the time of day cannot be watched.
    init(
        loop: any EventLoop, interval: TimeAmount, timeOfDay: @escaping @Sendable () -> Timestamp,
        startWatch: @escaping DaemonOptions.WatchClock, isDue: @escaping () -> Void,
        isSet: @escaping @Sendable () -> Void, hasFailed: @escaping (SystemError) -> Void
    ) {
        (self.loop, self.interval, self.timeOfDay, self.startWatch) = (loop, interval, timeOfDay, startWatch)
        (self.isDue, self.isSet, self.hasFailed) = (isDue, isSet, hasFailed)
        moment = timeOfDay()
    }

    /// The time of day.
    var now: Timestamp { timeOfDay() }

    /// The latest moment that an answer may have had: a clock of a later one was not given by this daemon.
    var latest: Timestamp { max(moment, now) }

    /// Calls `bring` for each container with a moment that has come, or that is ahead, with the new ``moment``, and sets the timer.
    /// A call from within `bring` does nothing.
    func follow<Container: ClockFollowing>(
        _ containers: some Collection<Container>, bring: (Container, Timestamp) -> Void
    ) {
        guard !isFollowing else { return }
        isFollowing = true
        defer { isFollowing = false }
        if containers.contains(where: { $0.followsClock || $0.nextMoment != nil }) {
            let now = timeOfDay()
            let due = containers.filter { $0.nextMoment != nil || $0.isAhead(of: now) }
            if !due.isEmpty { moment = now }
            for container in due where !container.isHeldAtMoment { bring(container, moment) }
        }
        schedule(containers)
    }

    private func schedule<Container: ClockFollowing>(_ containers: some Collection<Container>) {
        // Lazy collections in place of the loop cost 5 µs an iteration, in the runtime's search for their types.
        var isFollowed = false
        var nearest: Int64?
        for container in containers where !container.isHeldAtMoment {
            if container.followsClock { isFollowed = true }
            if let moment = container.nextMoment { nearest = min(moment, nearest ?? moment) }
        }
        if isFollowed { beginWatch() }
        // Without the watch it is looked whether the clock was set back, also where no moment is to come.
        guard let next = nearest ?? (isFollowed && watch == nil ? Int64.max : nil) else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if timer?.moment == next { return }
        timer?.task.cancel()
        let (wait, overflow) = next.subtractingReportingOverflow(timeOfDay().nanoseconds)
        let delay = min(max(overflow ? 0 : wait, Limits.clockGrain.nanoseconds), interval.nanoseconds)
        let follower = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(in: .nanoseconds(delay)) {
            follower.value.timer = nil
            follower.value.isDue()
        }
        timer = (next, task)
        timersSet &+= 1
    }

    private func beginWatch() {
        guard watch == nil, !hasTriedWatch else { return }
        hasTriedWatch = true
        do throws(SystemError) {
            watch = try startWatch(isSet)
        } catch {
            hasFailed(error)
        }
    }

    /// Waits for the time of day to be set once more.
    func arm() { watch?.arm() }

    func close() {
        timer?.task.cancel()
        watch?.stop()
        watch = nil
    }
}

extension ContainerRecord: ClockFollowing {
    var isHeldAtMoment: Bool { entry.isHeld }
    var followsClock: Bool { registry.followsClock }
    var nextMoment: Int64? { registry.nextMoment }
    func isAhead(of now: Timestamp) -> Bool { registry.isAhead(of: now) }
}
