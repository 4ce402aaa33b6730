// What an examination has found, with the command that mends it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// One thing that was looked at.
struct Finding: Equatable {
    enum Level: String, Comparable {
        /// As it should be.
        case fine
        /// Worth knowing; nothing has to be done.
        case note
        /// Works, and not as well as it could.
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
    /// What was looked at: `limits`, `units`, or a container.
    let subject: String
    let text: String
    /// What mends it, for a shell.
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
