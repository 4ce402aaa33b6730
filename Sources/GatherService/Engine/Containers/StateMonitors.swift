// Tells the monitors of containers about changes of state, some monitors at a time.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import NIOCore
import Varlink

/// Tells callers of `Container.Monitor` how the containers are: when they ask, and again after each change of a state.
///
/// A caller is owed one description, however many changes it has not taken, and no reply is kept for it. Callers with
/// the same view share one, made when its first reader is to be told, and only so many are told before others have
/// their turn: four thousand may ask, and a change of state is for all of them at once. On the event loop.
final class StateMonitors {
    /// Describes the containers as a caller sees them, nil standing for one who sees everything: at once or later, or
    /// never where no call waits for it any more.
    typealias Describe = (
        _ caller: Credentials?, _ isAwaited: @escaping () -> Bool, _ then: @escaping ([ContainerDescription]) -> Void
    ) -> Void

    /// A call that is told.
    private final class Monitor {
        let call: VarlinkCall
        /// When it asked: an earlier description is no answer.
        let asked: UInt64
        /// When that was described which it was told last.
        var notified: UInt64 = 0
        /// The number of the news that it has.
        var news: UInt64?
        /// Whether it stands in its audience's line.
        var isDue = false

        init(_ call: VarlinkCall, asked: UInt64) {
            self.call = call
            self.asked = asked
        }
    }

    /// Containers as an audience sees them.
    private struct Description {
        /// When it was begun.
        let moment: UInt64
        let reply: JSONBytes
    }

    /// Monitors with the same view.
    private final class Audience {
        let caller: Credentials?
        var monitors: [ObjectIdentifier: Monitor] = [:]
        /// Monitors that are owed a description and can take it.
        var due = CircularBuffer<Monitor>()
        /// The one that is being told; let go of when all have it.
        var description: Description?
        var isDescribing = false
        /// Whether it waits for its turn.
        var isWaiting = false
        /// The last description for a caller that does not see everything, without the times, which are no news.
        var newest: [ContainerDescription]?
        /// The number of the last description: if everything is seen, that of the change; otherwise how often it
        /// differed from the one before.
        var news: UInt64 = 0

        init(_ caller: Credentials?) { self.caller = caller }
    }

    private let loop: any EventLoop
    private let describe: Describe
    private var audiences: [Credentials?: Audience] = [:]
    /// Audiences with monitors to notify, the one first whose turn is next.
    private var turns = CircularBuffer<Audience>()
    private var isScheduled = false
    /// Counts changes, and new calls.
    private var moment: UInt64 = 0
    /// The moment of the last change.
    private var changed: UInt64 = 0

    init(loop: any EventLoop, describe: @escaping Describe) {
        self.loop = loop
        self.describe = describe
    }

    /// How many there are.
    var count: Int { audiences.values.reduce(0) { $0 + $1.monitors.count } }

    /// Tells a caller from now on, until the call ends; `caller` is nil where it sees everything.
    func add(_ call: VarlinkCall, as caller: Credentials?) {
        moment += 1
        let audience = audiences[caller] ?? Audience(caller)
        audiences[caller] = audience
        let monitor = Monitor(call, asked: moment)
        let key = ObjectIdentifier(monitor)
        audience.monitors[key] = monitor
        call.onWritable = { self.lineUp(monitor, in: audience) }
        call.onClose = {
            audience.monitors[key] = nil
            if audience.monitors.isEmpty { self.audiences[caller] = nil }
        }
        lineUp(monitor, in: audience)
    }

    /// The state of a container has changed, or the access to it.
    func stateChanged() {
        moment += 1
        changed = moment
        for audience in audiences.values {
            for monitor in audience.monitors.values { lineUp(monitor, in: audience) }
        }
    }

    /// Whether something is owed to one.
    private func isBehind(_ monitor: Monitor) -> Bool { monitor.notified < max(monitor.asked, changed) }

    /// Whether one is to be told now; one whose socket is full is looked at again when it can take more.
    private func isReady(_ monitor: Monitor) -> Bool { isBehind(monitor) && monitor.call.isWritable }

    private func lineUp(_ monitor: Monitor, in audience: Audience) {
        guard !monitor.isDue, isReady(monitor) else { return }
        monitor.isDue = true
        audience.due.append(monitor)
        awaitTurn(audience)
    }

    private func awaitTurn(_ audience: Audience) {
        guard !audience.isWaiting, !audience.isDescribing else { return }
        audience.isWaiting = true
        turns.append(audience)
        schedule()
    }

    /// No client outlasts the pause: the loop does all tasks that are due before it looks at its descriptors.
    private func schedule() {
        guard !isScheduled, !turns.isEmpty else { return }
        isScheduled = true
        let monitors = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Limits.monitorPause) { monitors.value.takeTurn() }
    }

    private func takeTurn() {
        isScheduled = false
        guard let audience = turns.popFirst() else { return }
        // It counts as waiting meanwhile: a monitor that lines up now need not call for another turn.
        notifySome(of: audience)
        audience.isWaiting = false
        if !audience.due.isEmpty { awaitTurn(audience) }
        schedule()
    }

    private func notifySome(of audience: Audience) {
        var (notified, bytes) = (0, 0)
        while let monitor = audience.due.first {
            guard notified < Limits.monitorsNotifiedAtOnce, bytes < Limits.monitorBytesNotifiedAtOnce else { return }
            if isReady(monitor) {
                guard let description = audience.description, description.moment >= monitor.asked,
                    description.moment > monitor.notified
                else { return describe(for: audience) }
                if notify(monitor, description, audience.news) {
                    (notified, bytes) = (notified + 1, bytes + description.reply.count)
                }
            }
            monitor.isDue = false
            audience.due.removeFirst()
            // A change may have come since that was described.
            lineUp(monitor, in: audience)
        }
        audience.description = nil
    }

    /// Notifies a monitor, unless it has this description already.
    private func notify(_ monitor: Monitor, _ description: Description, _ news: UInt64) -> Bool {
        monitor.notified = description.moment
        guard monitor.news != news else { return false }
        monitor.news = news
        monitor.call.reply(description.reply, continues: true)
        return true
    }

    private func describe(for audience: Audience) {
        audience.description = nil
        audience.isDescribing = true
        let (moment, changed) = (moment, changed)
        let isAwaited = { !audience.monitors.isEmpty }
        describe(audience.caller, isAwaited) { containers in
            audience.isDescribing = false
            // Changes of containers that the caller does not see are no news, not even that there are some.
            let newest = audience.caller.map { _ in containers.map(\.timeless) }
            if newest == nil { audience.news = changed } else if newest != audience.newest { audience.news += 1 }
            audience.newest = newest
            audience.description = Description(
                moment: moment, reply: JSONBytes(ContainerInterface.Monitor.Reply(containers: containers)))
            self.awaitTurn(audience)
        }
    }
}

extension ContainerDescription {
    /// Without the clock, which tells of changes anywhere.
    fileprivate var timeless: ContainerDescription {
        var description = self
        description.clock = ""
        return description
    }
}
