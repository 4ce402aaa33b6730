// When the loop iterations of the engine happen.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Decides when loop iterations happen, and keeps the calls for the end of one. Event loop only.
///
/// An iteration that ends sets the timer for the next. There is one timer, and none while nothing is due.
final class IterationScheduler {
    private let loop: any EventLoop
    /// Runs an iteration.
    private let run: () -> Void
    private var isRunning = false
    /// Whether an iteration was asked for while one was under way.
    private var isRequested = false
    /// Iterations since one had nothing to do afterwards.
    private var inARow = 0
    /// The timer, with its time in the kernel's nanoseconds.
    private var next: (time: UInt64, task: Scheduled<Void>)?
    private var completions: [() -> Void] = []
    private(set) var isClosed = false

    init(loop: any EventLoop, run: @escaping () -> Void) {
        self.loop = loop
        self.run = run
    }

    /// So much later comes another iteration: the loop does all tasks that are due, those that tasks add included, before it
    /// looks at its descriptors. An iteration that asks for the next at once would keep it from inotify and all sockets.
    static let pause = TimeAmount.microseconds(10)
    /// On a starved machine that much is over before the loop looks whether a task is due, each time: work of many
    /// iterations would keep it from its descriptors all the same. So after so many in a row comes a longer pause.
    static let mostInARow = 32
    static let longPause = TimeAmount.microseconds(500)

    /// Begins an iteration. Returns false after ``close()``, and while one is under way, which another follows then.
    func begin() -> Bool {
        guard !isClosed else { return false }
        guard !isRunning else {
            isRequested = true
            return false
        }
        isRunning = true
        isRequested = false
        return true
    }

    /// Ends the iteration, and sets the timer for the next: as soon as may be if there is more to do or it was asked for, else at
    /// the deadline. Times are in the kernel's nanoseconds.
    func end(hasMore: Bool, now: UInt64, deadline: @autoclosure () -> UInt64?) {
        isRunning = false
        let wanted = hasMore || isRequested ? now : deadline()
        inARow = wanted.map { $0 <= now } == true ? inARow + 1 : 0
        let isLong = inARow > 0 && inARow.isMultiple(of: IterationScheduler.mostInARow)
        let pause = isLong ? IterationScheduler.longPause : IterationScheduler.pause
        let time = wanted.map { max($0, now &+ UInt64(pause.nanoseconds)) }
        guard time != next?.time else { return }
        next?.task.cancel()
        next = nil
        guard let time else { return }
        let scheduler = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(in: .nanoseconds(Int64(clamping: time - now))) {
            scheduler.value.next = nil
            scheduler.value.run()
        }
        next = (time, task)
    }

    /// Has a function called when the indexes are whole and their changes are with the live queries: the watcher's
    /// completions come in the middle of its own work.
    func atEnd(_ completion: @escaping () -> Void) { completions.append(completion) }

    /// Makes the calls of ``atEnd(_:)``, and those that these add.
    func complete() {
        while !completions.isEmpty {
            let due = completions
            completions = []
            for completion in due { completion() }
        }
    }

    /// Ends all iterations.
    func close() {
        isClosed = true
        next?.task.cancel()
    }
}
