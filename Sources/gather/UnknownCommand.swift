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
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        guard predicate != nil, !first.contains(where: { "*?. ".contains($0) }) else {
            let meant = predicate ?? UnquotedWords.predicate(meantBy: words, isFile: { _ in false }) ?? first
            throw Failure(
                status: ExitStatus.usage,
                "the first argument is a command. Did you mean: gather find \(ShellText.doubleQuoted(meant))")
        }
        // Behind another tool's name for `find` stands the text to search for.
        let word = words.count > 1 ? words.dropFirst().joined(separator: " ") : first
        let find = "gather find \(ShellText.quoted(word))"
        let meant = Spelling.nearest(to: first, among: commands).map { "gather \($0)" }
        throw Failure(status: ExitStatus.usage, "there is no command '\(first)'. Did you mean: \(meant ?? find)")
    }
}
