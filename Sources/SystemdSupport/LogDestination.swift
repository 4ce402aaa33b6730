// Where a daemon's log goes: decided once, when it starts.
// SPDX-License-Identifier: Apache-2.0

package import Logging

/// The journal where standard error is the journal, plain lines on standard error otherwise.
package enum LogDestination: Sendable {
    case journal
    case standardError

    /// The destination of this process.
    package static var current: LogDestination { JournalLogHandler.isJournal() ? .journal : .standardError }

    /// A handler for `LoggingSystem.bootstrap`.
    ///
    /// - Parameter identifier: the program's name, as `SYSLOG_IDENTIFIER=`.
    package func handler(identifier: String, logLevel: Logger.Level) -> any LogHandler {
        switch self {
        case .journal: JournalLogHandler(identifier: identifier, logLevel: logLevel)
        case .standardError: StandardErrorLogHandler(logLevel: logLevel)
        }
    }
}
