// Log messages as structured entries of the journal.
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
package import Logging

/// Sends each message with its metadata as fields through `sd_journal_sendv(3)`. `container` becomes
/// `GATHERD_CONTAINER=`, and the kind under `message-id` becomes `MESSAGE_ID=`.
///
/// The text also has the metadata that the sentence lacks, since `journalctl` shows only the text by default.
package struct JournalLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let identifier: String

    /// - Parameter identifier: The program's name, for `SYSLOG_IDENTIFIER=`.
    package init(identifier: String, logLevel: Logger.Level = .info) {
        self.identifier = identifier
        self.logLevel = logLevel
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let metadata = event.metadata(over: metadata, provider: metadataProvider)
        let fields = JournalFields(event: event, metadata: metadata, identifier: identifier).fields
        let line = "<\(event.level.priority)>\(LogLine.text("\(event.message)", metadata))"
        let (identifier, level) = (identifier, logLevel)
        LogQueue.shared.add(bytes: fields.reduce(0) { $0 + $1.count }) { lost in
            let text = LogLine.lost(lost)
            let priority = Logger.Level.warning.priority
            let fields = ["MESSAGE=\(text)", "PRIORITY=\(priority)", "SYSLOG_IDENTIFIER=\(identifier)"]
            JournalLogHandler.write(fields.map { Array($0.utf8) }, line: "<\(priority)>\(text)", level)
        } _: {
            JournalLogHandler.write(fields, line: line, level)
        }
    }

    /// Writes an entry on the calling thread.
    private static func write(_ fields: [[UInt8]], line: String, _ level: Logger.Level) {
        // The journal's socket refused the message: it is full, or journald restarts. Standard error is a stream to the
        // journal, too, with the priority as a prefix (sd-daemon(3)).
        if send(fields) < 0 { StandardErrorLogHandler(logLevel: level).write(line: line) }
    }

    /// Sends one entry. libsystemd does not copy the fields, so one buffer holds them during the call.
    private static func send(_ fields: [[UInt8]]) -> CInt {
        var bytes = Array(fields.joined())
        return bytes.withUnsafeMutableBytes { buffer in
            var vectors: [iovec] = []
            var offset = 0
            for field in fields {
                vectors.append(iovec(iov_base: buffer.baseAddress.map { $0 + offset }, iov_len: field.count))
                offset += field.count
            }
            return sd_journal_sendv(vectors, CInt(vectors.count))
        }
    }

    /// Whether a descriptor is the stream to the journal that the service manager opened. `JOURNAL_STREAM` has its
    /// device and inode (`systemd.exec(5)`), so a redirected standard error does not count.
    package static func isJournal(descriptor: CInt = STDERR_FILENO) -> Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        let parts = String(cString: variable).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }
}
