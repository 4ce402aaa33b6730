// Writes log messages as lines on standard error, for a daemon that was not started by systemd.
// SPDX-License-Identifier: Apache-2.0

// `timespec` may belong to the module of libsystemd's headers, by the order in which the compiler reads them.
import CSystemd
import Glibc
package import Logging
import Metadata

/// Writes `time level: message key=value …`, one line for each message, through a ``LogQueue``. The time is local, as ISO 8601
/// with its offset from UTC.
///
/// There is no `<N>` prefix of `sd-daemon(3)`. It is for a stream that the journal reads, which ``JournalLogHandler``
/// serves.
package struct StandardErrorLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let descriptor: CInt
    private let queue: LogQueue
    private let time: @Sendable () -> timespec

    package init(logLevel: Logger.Level = .info) { self.init(logLevel: logLevel, descriptor: STDERR_FILENO) }

    init(
        logLevel: Logger.Level, descriptor: CInt, queue: LogQueue = .shared,
        time: @escaping @Sendable () -> timespec = StandardErrorLogHandler.now
    ) {
        self.logLevel = logLevel
        self.descriptor = descriptor
        self.queue = queue
        self.time = time
    }

    private static func now() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }

    /// Returns a time as ISO 8601, in the process's time zone, to the millisecond: `2026-11-25T10:21:22.345+01:00`.
    static func text(of time: timespec) -> String {
        let milliseconds = LocalTime.digits(time.tv_nsec / 1_000_000, 3)
        guard let local = LocalTime(Int64(time.tv_sec)) else { return "\(time.tv_sec).\(milliseconds)" }
        let clock = "\(local.hourAndMinute):\(LocalTime.digits(local.second, 2)).\(milliseconds)"
        return "\(local.date)T\(clock)\(local.offsetText)"
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let metadata = event.metadata(over: metadata, provider: metadataProvider)
        add(line: line(event.level, LogLine.text("\(event.message)", metadata)))
    }

    private func line(_ level: Logger.Level, _ text: String) -> String {
        "\(StandardErrorLogHandler.text(of: time())) \(level.rawValue): \(text)"
    }

    /// Adds a line to the queue.
    func add(line text: String) {
        queue.add(bytes: text.utf8.count) { lost in
            write(line: line(.warning, LogLine.lost(lost)))
        } _: {
            write(line: text)
        }
    }

    /// Writes one whole line on the calling thread. If the descriptor refuses it, it is lost.
    func write(line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { return }
        }
    }
}
