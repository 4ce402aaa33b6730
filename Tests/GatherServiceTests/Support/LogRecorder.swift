// The log of a daemon, for a test that looks at it or waits for it.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Keeps the warnings and errors that are logged, and hands them on as they come; or lines of a lower level, too.
struct LogRecorder: LogHandler {
    private final class Lines: Sendable { let all = Mutex<[(kind: String?, line: String)]>([]) }

    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]
    private let least: Logger.Level
    private let lines = Lines()
    private let continuation: AsyncStream<String>.Continuation
    /// Is called with each line, on the thread that logs.
    private let receive: @Sendable (String) -> Void
    /// Each line, as it comes.
    let stream: AsyncStream<String>

    init(_ least: Logger.Level = .warning, receive: @escaping @Sendable (String) -> Void = { _ in }) {
        self.least = least
        self.receive = receive
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// All lines until now.
    var all: [String] { lines.all.withLock { $0.map(\.line) } }

    /// Those of them that the journal files as one kind of message.
    func all(_ kind: String) -> [String] { lines.all.withLock { $0.filter { $0.kind == kind }.map(\.line) } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= least else { return }
        let line = "\(event.message)"
        let kind = event.metadata?["message-id"].map { "\($0)" }
        lines.all.withLock { $0.append((kind, line)) }
        continuation.yield(line)
        receive(line)
    }
}
