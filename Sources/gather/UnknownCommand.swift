// A first argument that is no command.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import PredicateLanguage

/// A first argument that is neither an option nor a command: a misspelled command, or a predicate without one.
enum UnknownCommand {
    /// Throws a ``Failure`` for such an argument, with the command that was probably meant.
    static func check(_ arguments: [String]) throws(Failure) {
        guard let first = arguments.first, !first.isEmpty, !first.hasPrefix("-") else { return }
        let commands = Gather.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard !commands.contains(first) else {
            guard first == "help", let about = arguments.dropFirst().first, !about.hasPrefix("-") else { return }
            return try check([about])
        }
        let predicate = BareWord.predicate(meantBy: first)
        let find = "gather find \(ShellText.doubleQuoted(predicate ?? first))"
        guard predicate != nil, !first.contains(where: { "*?. ".contains($0) }) else {
            throw Failure(status: ExitStatus.usage, "the first argument is a command. Did you mean: \(find)")
        }
        let meant = Spelling.nearest(to: first, among: commands).map { "gather \($0)" }
        throw Failure(status: ExitStatus.usage, "there is no command '\(first)'. Did you mean: \(meant ?? find)")
    }
}
