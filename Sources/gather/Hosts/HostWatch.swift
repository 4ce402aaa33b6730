// gather watch on several machines.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import Synchronization

/// The live query of one machine among several.
struct HostWatch: Sendable {
    let query: MetadataQuery
    let host: String
    let printing: ChangePrinter.Settings

    /// The wait before a machine that is away is tried again: doubled each time, between these.
    private static let shortestWait = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)

    /// Starts the query. A machine that is away is tried until it is there. Throws if its daemon refuses the query.
    func start(isAway: () -> Void) async throws(GatherError) {
        var wait = HostWatch.shortestWait
        var isFirst = true
        while true {
            do throws(GatherError) {
                return try await query.start()
            } catch {
                guard error.isTransient else { throw error }
                if isFirst {
                    Output.note("\(HostReport.named(error.message, of: host)); trying again")
                    isAway()
                }
                isFirst = false
            }
            try? await Task.sleep(for: wait)
            wait = min(wait * 2, HostWatch.longestWait)
        }
    }
}

/// `gather watch` on several machines. Each line is printed as a whole.
final class HostWatchSession: Sendable {
    private struct State {
        var hasChanged = false
        /// The machines that are away.
        var away: Set<Int> = []
        /// The status of the first machine that is not watched any more.
        var status: Int32 = 0
    }

    private let watches: [HostWatch]
    private let question: AskedQuestion
    private let endsAfterChange: Bool
    private let timer: WatchTimer
    /// Held while one notification is printed.
    private let state = Mutex(State())

    init(watches: [HostWatch], question: AskedQuestion, endsAfterChange: Bool, timer: WatchTimer) {
        self.watches = watches
        self.question = question
        self.endsAfterChange = endsAfterChange
        self.timer = timer
    }

    /// Follows the queries to their end, and ends the process.
    func follow() async {
        timer.end { [self] in finish() }
        await withTaskGroup(of: Void.self) { group in
            for number in watches.indices {
                group.addTask {
                    guard let failure = await self.report(number) else { return }
                    var report = HostReport()
                    report.add(failure, of: self.watches[number].host)
                    // The others are watched on.
                    let status = report.print(requiresExact: false)
                    self.state.withLock { if $0.status == 0 { $0.status = status } }
                }
            }
        }
        Glibc.exit(state.withLock { $0.status })
    }

    /// Ends the process when the time is over.
    private func finish() -> Never {
        let state = state.withLock { $0 }
        if endsAfterChange, !state.hasChanged { Glibc.exit(ExitStatus.timeout) }
        Glibc.exit(state.status != 0 || state.away.isEmpty ? state.status : ExitStatus.unreachable)
    }

    /// Prints the notifications of one machine. Returns the reason for which it is not watched any more.
    private func report(_ number: Int) async -> Failure? {
        let watch = watches[number]
        do throws(GatherError) {
            try await watch.start { self.state.withLock { _ = $0.away.insert(number) } }
            state.withLock { _ = $0.away.remove(number) }
            var printer = ChangePrinter(watch.printing)
            var isGathered = false
            for try await notification in watch.query.notifications {
                let ends = state.withLock { state in
                    printer.print(notification, of: watch.query)
                    switch notification {
                    case .started:
                        isGathered = false
                        state.away.remove(number)
                    case .gathered: isGathered = true
                    case .updated(let changes): if !changes.isEmpty { state.hasChanged = true }
                    case .reconnecting: state.away.insert(number)
                    case .reconnected: state.away.remove(number)
                    case .progress: break
                    }
                    return endsAfterChange && state.hasChanged && isGathered
                }
                if ends { Glibc.exit(0) }
            }
            return Failure("gatherd ended the query")
        } catch {
            return Failure(error, command: question.command, predicate: question.predicate)
        }
    }
}
