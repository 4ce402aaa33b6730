// A live query from its start to the end of the process.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import Synchronization

/// The time of `--timeout`, counted from the start of the command.
final class WatchTimer: Sendable {
    private let end: ContinuousClock.Instant?
    private let over = Atomic<Bool>(false)

    init(_ span: TimeSpan?) { end = span.map { ContinuousClock.now + .milliseconds($0.milliseconds) } }

    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Stops the query when the time is over.
    func stop(_ query: MetadataQuery) { end { query.stop() } }

    /// Calls `body` when the time is over.
    func end(_ body: @escaping @Sendable () -> Void) {
        guard let end else { return }
        Task {
            try? await Task.sleep(until: end, clock: .continuous)
            self.over.store(true, ordering: .releasing)
            body()
        }
    }
}

/// A live query of `gather watch`, from its start to the end of the process.
struct WatchSession: Sendable {
    let query: MetadataQuery
    let question: AskedQuestion
    let connection: Connection
    /// `--once`
    let endsAfterChange: Bool
    let timer: WatchTimer
    /// Whether the user was told already that the daemon does not answer.
    let isWaiting: Bool
    let printing: ChangePrinter.Settings
    /// The runner of a command; nil to print the changes.
    let runner: ChangeRunner?
    /// Whether remarks for a person are printed.
    let isTalkative: Bool

    /// Follows the query to its end, and ends the process. Its result is not `Never` and its errors are not typed,
    /// since Swift 6.3 then makes optimized code that crashes after the first `await`.
    func follow() async {
        do {
            timer.stop(query)
            let (hasChanged, status) = try await report()
            let isLate = timer.isOver && endsAfterChange && !hasChanged
            Glibc.exit(isLate ? ExitStatus.timeout : status)
        } catch let error as GatherError {
            // The query was stopped before it was accepted.
            if timer.isOver, error.code == .cancelled { Glibc.exit(endsAfterChange ? ExitStatus.timeout : 0) }
            Failure(error, command: question.command, predicate: question.predicate).exit()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            Failure("\(error)").exit()
        }
    }

    /// Prints each notification, or runs the command for it. Returns whether there was a change, and the status of the
    /// last command that failed, or 0.
    private func report() async throws -> (hasChanged: Bool, status: Int32) {
        try await start()
        var printer = ChangePrinter(printing)
        var runner = runner
        var (isResumed, isGathered, hasChanged) = (false, false, false)
        for try await notification in query.notifications {
            if runner == nil {
                printer.print(notification, of: query)
            } else {
                try await runner?.run(notification)
            }
            switch notification {
            case .started(let resumed): (isResumed, isGathered) = (resumed, false)
            case .progress(let changes): if isResumed, !changes.isEmpty { hasChanged = true }
            case .gathered:
                isGathered = true
                noteGathered(isResumed: isResumed)
            case .updated(let changes): if !changes.isEmpty { hasChanged = true }
            case .reconnecting, .reconnected: break
            }
            if endsAfterChange, hasChanged, isGathered { break }
        }
        return (hasChanged, runner?.status ?? 0)
    }

    /// Starts the query. A daemon that does not answer is waited for.
    private func start() async throws(GatherError) {
        var isNoted = isWaiting
        while true {
            do throws(GatherError) {
                return try await query.start()
            } catch {
                guard error.code == .notAnswering, !timer.isOver else { throw error }
                if !isNoted { WatchSession.noteWait(error) }
                isNoted = true
            }
        }
    }

    static func noteWait(_ error: GatherError) { Output.note("\(error.message); waiting for gatherd") }

    private func noteGathered(isResumed: Bool) {
        let count = query.resultCount
        if isTalkative {
            let matches = isResumed ? "" : "\(Readable.count(count, "item matches", "items match")) now. "
            Output.remark(matches + "Ctrl-C ends the watch.")
        }
        // The live query occupies its connection, so this takes another one.
        guard !isResumed, count == 0, connection.host == nil, var client = try? connection.connect() else { return }
        EmptyAnswer.note(question, &client, query.scopes, connection)
    }
}
