// The failure of a command: a message and an exit status.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import PredicateLanguage

/// The failure of a command, with its message and exit status.
struct Failure: Error {
    let status: Int32
    let message: String

    init(status: Int32 = ExitStatus.failure, _ message: String) {
        self.status = status
        self.message = message
    }

    /// An error of the daemon or of the connection to it.
    init(_ error: GatherError) {
        switch error.code {
        case .notAnswering: self.init(status: ExitStatus.notAnswering, error.message)
        case .unreachable: self.init(status: ExitStatus.unreachable, error.message)
        case .protocolViolation: self.init(status: ExitStatus.wrongAnswer, error.message)
        case .unknownAttribute, .unknownScope, .unknownTimeZone: self.init(status: ExitStatus.usage, error.message)
        case .evaluationFailed: self.init(status: ExitStatus.predicate, error.message)
        default: self.init(error.message)
        }
    }

    /// An error of the daemon about a question. A wrong predicate gets a caret under the place and the command that was
    /// probably meant.
    init(_ error: GatherError, command: String, predicate: String) {
        switch error.code {
        case .invalidPredicate:
            self.init(
                PredicateError(error.message, at: error.position ?? 0), command: command, predicate: predicate)
        case .unknownScope:
            let scope = error.subject ?? ""
            let hint =
                !error.containers.isEmpty
                ? "Below it are containers: \(error.containers.map { "--container " + ShellText.quoted($0.rawValue) }.joined(separator: " "))"
                    + ". To read all of it without a daemon: --embedded"
                : scope.hasPrefix("/")
                    ? "To watch it: gather container add NAME \(ShellText.quoted(scope))"
                    : "'gather container list' lists the containers"
            self.init(status: ExitStatus.usage, "\(error.message). \(hint)")
        default: self.init(error)
        }
    }

    /// A predicate that cannot be read.
    init(_ error: PredicateError, command: String, predicate: String) {
        var message = error.message
        let excerpt = error.excerpt(of: predicate)
        message +=
            "\n"
            + excerpt.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "  " + $0 }.joined(separator: "\n")
        if BareWord.isPath(predicate) {
            message += "\nTo look below a directory: \(command) \"\" --in \(ShellText.quoted(predicate))"
        } else if let meant = BareWord.predicate(meantBy: predicate) {
            message += "\nDid you mean: \(command) \(ShellText.doubleQuoted(meant))"
        }
        self.init(status: ExitStatus.predicate, message)
    }

    func exit() -> Never {
        Output.note(message)
        Glibc.exit(status)
    }
}
