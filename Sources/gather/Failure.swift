// Why a command ends without having done what it was asked, in words and as a status.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import PredicateLanguage

/// The end of a command that could not do what it was asked.
struct Failure: Error {
    let status: Int32
    let message: String

    init(status: Int32 = ExitStatus.failure, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What the daemon, or the way to it, had against it.
    init(_ error: GatherError) {
        switch error.code {
        case .unreachable: self.init(status: ExitStatus.unreachable, error.message)
        case .unknownAttribute, .unknownScope: self.init(status: ExitStatus.usage, error.message)
        case .evaluationFailed: self.init(status: ExitStatus.predicate, error.message)
        default: self.init(error.message)
        }
    }

    /// What the daemon had against a question: a wrong predicate with a caret under the place, and the command that was
    /// probably meant.
    init(_ error: GatherError, command: String, predicate: String) {
        switch error.code {
        case .invalidPredicate:
            self.init(
                PredicateError(error.message, at: error.position ?? 0), command: command, predicate: predicate)
        case .unknownScope:
            let scope = error.subject ?? ""
            let hint =
                scope.hasPrefix("/")
                ? "To watch it: gather container add NAME \(ShellText.quoted(scope))"
                : "'gather container list' lists those there are"
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
        if let meant = BareWord.predicate(meantBy: predicate) {
            message += "\nDid you mean: \(command) \(ShellText.doubleQuoted(meant))"
        }
        self.init(status: ExitStatus.predicate, message)
    }

    func exit() -> Never {
        Output.note(message)
        Glibc.exit(status)
    }
}
