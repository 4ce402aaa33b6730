// The destination of the daemon's log, chosen at the start.
// SPDX-License-Identifier: Apache-2.0

package import Logging

/// The journal if standard error leads there, otherwise lines on standard error.
package enum LogDestination: Sendable {
    case journal
    case standardError

    /// The destination of this process.
    package static var current: LogDestination { JournalLogHandler.isJournal() ? .journal : .standardError }

    /// Makes a handler for `LoggingSystem.bootstrap`.
    ///
    /// - Parameter identifier: The program's name, for `SYSLOG_IDENTIFIER=`.
    package func handler(identifier: String, logLevel: Logger.Level) -> any LogHandler {
        switch self {
        case .journal: JournalLogHandler(identifier: identifier, logLevel: logLevel)
        case .standardError: StandardErrorLogHandler(logLevel: logLevel)
        }
    }
}
