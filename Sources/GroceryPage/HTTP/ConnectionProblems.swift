// The errors with which connections end, as lines for the person who runs the server.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore
internal import Synchronization

/// Counts the errors with which connections end, and tells them: the first at once, those of the next minute as one line. So a
/// server that fails for everybody says so, and a stranger cannot fill the log.
final class ConnectionProblems: Sendable {
    private struct State {
        /// How often each reason was, since the last line.
        var counts: [String: Int] = [:]
        var reported: ContinuousClock.Instant?
    }

    private let pause: Duration
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pause: The time between two lines.
    ///   - tell: Receives each line. It is called on any thread.
    init(pause: Duration, report: @escaping @Sendable (String) -> Void) {
        self.pause = pause
        self.report = report
    }

    /// Notes that a connection ended with an error.
    func add(_ error: any Error) { add(reason: ConnectionProblems.text(of: error)) }

    /// Notes that a connection was closed for a newer one, since neither has shown the secret.
    func add(tooManyUnauthenticated limit: Int) {
        add(reason: "the limit of \(limit) connections without the secret is reached")
    }

    /// Notes that a connection was refused because so many have shown the secret already.
    func add(tooManyConnections limit: Int) { add(reason: "the limit of \(limit) connections is reached") }

    /// Tells what has come together, after each pause, until the task is cancelled. Then it tells the rest.
    func run() async throws {
        defer { flush(now: true) }
        while true {
            try await Task.sleep(for: pause)
            flush(now: false)
        }
    }

    private func add(reason: String) {
        state.withLock { $0.counts[reason, default: 0] += 1 }
        flush(now: false)
    }

    private func flush(now: Bool) {
        let counts = state.withLock { state -> [String: Int] in
            let time = ContinuousClock.now
            if !now, let reported = state.reported, reported.duration(to: time) < pause { return [:] }
            guard !state.counts.isEmpty else { return [:] }
            defer { state.counts = [:] }
            state.reported = time
            return state.counts
        }
        if let line = ConnectionProblems.line(counts) { report(line) }
    }

    /// Returns the line for so many connections, the most frequent reason first; nil for none.
    static func line(_ counts: [String: Int]) -> String? {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard let first = sorted.first else { return nil }
        if sorted.count == 1 {
            return "\(first.value) \(first.value == 1 ? "connection" : "connections") ended with an error: \(first.key)"
        }
        let total = sorted.reduce(0) { $0 + $1.value }
        return "\(total) connections ended with an error: "
            + sorted.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    }

    /// Returns the reason in words. There are few of them, whatever clients send.
    private static func text(of error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as ChannelError where error == .ioOnClosedChannel || error == .eof: "closed by the other end"
        default: "\(error)"
        }
    }
}
