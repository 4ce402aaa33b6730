// The lock, the task and the readers of a live query.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state and the task of a ``MetadataQuery``. It is a separate object, so that the task does not keep a released
/// query alive.
///
/// All mutable state is behind one lock. One task for each run delivers replies in order. A replaced run is recognised
/// by its number and ignored.
final class QueryCore: Sendable {
    typealias Next = Result<QueryNotification?, GatherError>
    private typealias Start = CheckedContinuation<Result<Void, GatherError>, Never>

    private struct Reader {
        var waiting: CheckedContinuation<Next, Never>?
        /// Whether the reader's run is over.
        var ending: QueryEnding?
        var isCancelled = false
    }

    /// A waiting caller to resume after the lock is released.
    private enum Wake {
        case reader(CheckedContinuation<Next, Never>, Next)
        case starter(Start, Result<Void, GatherError>)
    }

    private struct Guarded {
        /// The present configuration. The running query has the one of its start.
        var configuration: QueryConfiguration
        var query: QueryState
        var run: UInt64 = 0
        var task: Task<Void, Never>?
        /// Whether the daemon has accepted the query since its start. Before that, a missing daemon is an error.
        var isAccepted = false
        /// The callers of `start` that wait, by their numbers.
        var starting: [UInt64: Start] = [:]
        var nextStart: UInt64 = 0
        var readers: [UInt64: Reader] = [:]
        var wakes: [Wake] = []

        init(configuration: QueryConfiguration) {
            self.configuration = configuration
            query = QueryState(configuration: configuration)
        }

        /// Returns the next notification for a reader; nil if it has to wait.
        mutating func next(for number: UInt64) -> Next? {
            guard let reader = readers[number], !reader.isCancelled else { return .success(nil) }
            if let notification = query.next(for: number) { return .success(notification) }
            switch reader.ending {
            case nil: return nil
            case .stopped: return .success(nil)
            case .failed(let error):
                readers[number]?.ending = .stopped
                return .failure(error)
            }
        }

        mutating func accept() {
            isAccepted = true
            resumeStarters(.success(()))
        }

        /// Ends the run. The caller cancels the returned task.
        mutating func end(_ ending: QueryEnding, starters: Result<Void, GatherError>) -> Task<Void, Never>? {
            guard query.isRunning else { return nil }
            query.stop(ending)
            for number in readers.keys where readers[number]?.ending == nil { readers[number]?.ending = ending }
            resumeStarters(starters)
            return task.take()
        }

        /// Ends the wait of a cancelled caller of `start`. The run ends with the last one that waits for it.
        mutating func cancelStart(_ number: UInt64) -> Task<Void, Never>? {
            guard let start = starting.removeValue(forKey: number) else { return nil }
            wakes.append(.starter(start, .failure(QueryCore.cancelled)))
            return starting.isEmpty ? end(.stopped, starters: .success(())) : nil
        }

        /// Removes and returns the readers that have a notification, to be resumed after the lock is released.
        mutating func takeWakes() -> [Wake] {
            for number in readers.keys where readers[number]?.waiting != nil {
                guard let next = next(for: number), let waiting = readers[number]?.waiting.take() else { continue }
                wakes.append(.reader(waiting, next))
            }
            defer { wakes = [] }
            return wakes
        }

        private mutating func resumeStarters(_ result: Result<Void, GatherError>) {
            wakes += starting.values.map { .starter($0, result) }
            starting = [:]
        }
    }

    let socket: DaemonSocket
    private let state: Mutex<Guarded>

    init(socket: DaemonSocket, configuration: QueryConfiguration) {
        self.socket = socket
        state = Mutex(Guarded(configuration: configuration))
    }

    // MARK: User

    var configuration: QueryConfiguration { state.withLock { $0.configuration } }

    /// Changes the configuration. A running query starts again with it.
    func configure(_ change: @Sendable (inout QueryConfiguration) -> Void) {
        let superseded = update { guarded -> Task<Void, Never>? in
            var configuration = guarded.configuration
            change(&configuration)
            guard configuration != guarded.configuration else { return nil }
            let asksTheSame = configuration.asksTheSame(as: guarded.configuration)
            guarded.configuration = configuration
            if asksTheSame {
                guarded.query.arrange(configuration)
                return nil
            }
            guard guarded.query.isRunning else {
                guarded.query.arrange(configuration)
                return nil
            }
            let task = guarded.task
            self.run(&guarded)
            return task
        }
        superseded?.cancel()
    }

    func start() async throws(GatherError) {
        let number = state.withLock { guarded in
            guarded.nextStart += 1
            return guarded.nextStart
        }
        let result: Result<Void, GatherError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = update { guarded -> Result<Void, GatherError>? in
                    // A later cancellation finds the continuation, since its handler takes the lock after this.
                    if Task.isCancelled { return .failure(QueryCore.cancelled) }
                    if guarded.query.isRunning, guarded.isAccepted { return .success(()) }
                    guarded.starting[number] = continuation
                    if !guarded.query.isRunning {
                        guarded.isAccepted = false
                        self.run(&guarded)
                    }
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            update { $0.cancelStart(number) }?.cancel()
        }
        try result.get()
    }

    private static let cancelled = GatherError(
        code: .cancelled, message: "the task was cancelled before the query had started")

    func stop() {
        let cancelled = GatherError(code: .cancelled, message: "the query was stopped before the daemon had answered")
        update { $0.end(.stopped, starters: .failure(cancelled)) }?.cancel()
    }

    func freeze() { update { $0.query.freeze() } }
    func thaw() { update { $0.query.thaw() } }

    /// Returns the visible results, under the lock.
    func withResults<Value: Sendable>(_ body: (inout ResultSet) -> Value) -> Value {
        state.withLock { $0.query.withVisibleResults(body) }
    }

    /// Reads the state under the lock.
    func read<Value: Sendable>(_ body: (borrowing QueryState) -> Value) -> Value {
        state.withLock { body($0.query) }
    }

    // MARK: Readers

    func addReader() -> UInt64 {
        state.withLock { guarded in
            let reader = guarded.query.addReader()
            guarded.readers[reader] = Reader(ending: guarded.query.ending)
            return reader
        }
    }

    func removeReader(_ reader: UInt64) {
        state.withLock { guarded in
            guarded.query.removeReader(reader)
            guarded.readers[reader] = nil
        }
    }

    /// Returns a reader's next notification when there is one; nil at the end, and when the task is cancelled.
    func next(for reader: UInt64, isolation: isolated (any Actor)?) async throws(GatherError) -> QueryNotification? {
        let next: Next = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next = state.withLock { guarded -> Next? in
                    if let next = guarded.next(for: reader) { return next }
                    precondition(guarded.readers[reader]?.waiting == nil, "an iterator is used by one task at a time")
                    guarded.readers[reader]?.waiting = continuation
                    return nil
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let waiting = state.withLock { guarded in
                guarded.readers[reader]?.isCancelled = true
                return guarded.readers[reader]?.waiting.take()
            }
            waiting?.resume(returning: .success(nil))
        }
        return try next.get()
    }

    // MARK: Task

    /// Starts a run, under the lock. The caller cancels the replaced task.
    private func run(_ guarded: inout Guarded) {
        guarded.run += 1
        guarded.query.start(guarded.configuration)
        let run = guarded.run
        let configuration = guarded.configuration
        guarded.task = Task { await self.converse(configuration, run: run) }
    }

    /// Runs until the end of the run: connects, reads replies, and reconnects after a loss.
    private func converse(_ configuration: QueryConfiguration, run: UInt64) async {
        var backoff = Backoff(socket)
        // After a limit, only an update shows that the query follows again. Its first phase can end at the limit each time.
        var isBehind = false
        // Calls after a lost connection continue the same question, so they keep its zone.
        let timeZone = Search.timeZone
        while !Task.isCancelled {
            do throws(GatherError) {
                let session = try await Session.connect(socket)
                guard let clock = (update { $0.run == run ? .some($0.query.beginCall()) : nil }) else { return }
                var replies = session.watch(configuration, since: clock, timeZone: timeZone).makeAsyncIterator()
                while let reply = try await replies.next() {
                    let reply = QueryReply(reply)
                    guard receive(reply, run: run) else { return }
                    if case .updated = reply.event { isBehind = false }
                    if !isBehind { backoff.reset() }
                }
                throw GatherError(code: .connectionLost, message: "gatherd ended the query")
            } catch {
                guard lose(error, run: run) else { return }
                isBehind = isBehind || error.code == .limitExceeded
            }
            try? await Task.sleep(for: backoff.next())
        }
    }

    /// Handles a reply. Returns false at the end of the run.
    private func receive(_ reply: QueryReply, run: UInt64) -> Bool {
        update { guarded in
            guard guarded.run == run, guarded.query.isRunning else { return false }
            guarded.query.receive(reply)
            if case .started = reply.event { guarded.accept() }
            return true
        }
    }

    /// Handles the loss of the connection. Returns false at the end of the run.
    ///
    /// A query that has gathered goes on after a limit too: with its last clock it gets what the daemon could not keep for it.
    private func lose(_ error: GatherError, run: UInt64) -> Bool {
        update { guarded -> Bool in
            guard guarded.run == run, guarded.query.isRunning else { return false }
            let isResumable = error.code == .limitExceeded && !guarded.query.isGathering
            guard error.isTransient || isResumable, guarded.isAccepted else {
                _ = guarded.end(.failed(error), starters: .failure(error))
                return false
            }
            guarded.query.loseConnection(error)
            return true
        }
    }

    // MARK: Lock

    /// Changes the state under the lock. Then resumes readers that have a notification, without the lock.
    @discardableResult
    private func update<Value: Sendable>(_ body: (inout Guarded) -> Value) -> Value {
        let (value, wakes) = state.withLock { guarded in
            let value = body(&guarded)
            return (value, guarded.takeWakes())
        }
        for wake in wakes {
            switch wake {
            case .reader(let waiting, let next): waiting.resume(returning: next)
            case .starter(let waiting, let result): waiting.resume(returning: result)
            }
        }
        return value
    }
}
