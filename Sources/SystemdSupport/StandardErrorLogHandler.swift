// Log messages as plain lines on standard error, for a daemon that was started by hand or by a test.
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Logging

/// Writes `level: message key=value …`, one line a message, each with one `write(2)` so that lines of several threads
/// stay whole.
///
/// No time: whatever collects the lines has its own. No `<N>` prefix as `sd-daemon(3)` has it either: that is for a
/// stream that the journal reads, where ``JournalLogHandler`` is used instead; here a person or a pipe reads.
package struct StandardErrorLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let descriptor: CInt

    package init(logLevel: Logger.Level = .info) { self.init(logLevel: logLevel, descriptor: STDERR_FILENO) }

    init(logLevel: Logger.Level, descriptor: CInt) {
        self.logLevel = logLevel
        self.descriptor = descriptor
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let metadata = event.metadata(over: metadata, provider: metadataProvider)
        write(line: "\(event.level.rawValue): \(LogLine.text("\(event.message)", metadata))")
    }

    /// Writes one line whole; what the descriptor refuses is lost, as there is nobody else to tell.
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
