// A finding of an examination, with the command that helps.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A result of an examination.
struct Finding: Equatable {
    enum Level: String, Comparable {
        /// In order.
        case fine
        /// Worth knowing. Nothing must be done.
        case note
        /// Works, but not as well as it could.
        case warning
        /// Does not work.
        case problem

        static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .fine: 0
            case .note: 1
            case .warning: 2
            case .problem: 3
            }
        }
    }

    let level: Level
    /// The subject: `limits`, `units`, or a container.
    let subject: String
    let text: String
    /// The command that helps, for a shell.
    let command: String?

    init(_ level: Level, _ subject: String, _ text: String, command: String? = nil) {
        self.level = level
        self.subject = subject
        self.text = text
        self.command = command
    }

    var object: [UInt8] {
        var line = JSONLine()
        line.add("level", level.rawValue)
        line.add("subject", subject)
        line.add("message", text)
        line.add("command", command)
        return line.bytes()
    }
}
