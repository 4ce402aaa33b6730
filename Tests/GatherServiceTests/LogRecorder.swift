// What a daemon warns of, for a test that looks at it or waits for it.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Keeps the warnings that are logged, and what is worse, and hands them on as they come.
struct LogRecorder: LogHandler {
    private final class Lines: Sendable { let all = Mutex<[String]>([]) }

    var logLevel: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]
    private let lines = Lines()
    private let continuation: AsyncStream<String>.Continuation
    /// Each line, as it comes.
    let stream: AsyncStream<String>

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// All lines until now.
    var all: [String] { lines.all.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .warning else { return }
        let line = "\(event.message)"
        lines.all.withLock { $0.append(line) }
        continuation.yield(line)
    }
}
