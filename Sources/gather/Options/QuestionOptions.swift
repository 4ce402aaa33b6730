// The predicate of a command, and the short options that stand for one.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// The predicate of a command, with the options that stand for a predicate.
struct QuestionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The condition on an item; '' holds for all. A word is a part of the name."),
        completion: Completions.predicate)
    var predicate: String?

    /// Arguments behind the predicate: a predicate without quotes.
    @Argument(help: .hidden)
    var rest: [String] = []

    @Option(
        name: [.customShort("e"), .customLong("extension")],
        help: ArgumentHelp("Only names with this extension. May be repeated: -e py,txt.", valueName: "ext"),
        completion: .list([]))
    var extensions: [String] = []

    @Option(
        name: [.customShort("t"), .customLong("type")],
        help: ArgumentHelp(
            """
            Only this kind: f, d, l, s, p, c, b as in fd, x for executable files, or a kind's name. May be repeated.
            """, valueName: "type"), completion: .list(TypeArgument.words))
    var types: [TypeList] = []

    @Option(
        name: [.customShort("S"), .customLong("size")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Only files of this size: +10M at least, -1k at most, 10k exactly. k, M, G count 1000s, Ki, Mi, Gi 1024s.",
            valueName: "size"), completion: .list([]))
    var sizes: [SizeArgument] = []

    @Option(
        name: .customLong("changed-within"),
        help: ArgumentHelp("Only items whose content changed since: 7d, 2h30min, or a date.", valueName: "age"),
        completion: .list([]))
    var changedWithin: AgeArgument?

    @Option(
        name: .customLong("changed-before"),
        help: ArgumentHelp("Only items whose content did not change since.", valueName: "age"), completion: .list([]))
    var changedBefore: AgeArgument?

    @Flag(
        name: [.customShort("g"), .customLong("glob")],
        help: "The word is a pattern for the whole name: *, ?, [a-c], {py,txt}.")
    var glob = false

    @Flag(
        name: [.customShort("H"), .customLong("hidden")],
        help: "Include names that begin with a dot, which these options leave out unless there is a predicate.")
    var hidden = false

    /// The options without the predicate.
    var shortcuts: FileShortcuts {
        FileShortcuts(
            extensions: extensions.flatMap { list in
                let parts = list.split(separator: ",").map(String.init)
                return parts.isEmpty ? [list] : parts
            }, types: types.flatMap(\.types), sizes: sizes, changedWithin: changedWithin,
            changedBefore: changedBefore, isGlob: glob, includesHidden: hidden)
    }

    /// The question that these arguments ask. `command` is the command as it would be typed, for advice. Throws if
    /// there is no predicate, unless `isOptional`, and if there are several.
    func question(_ command: String, isOptional: Bool = false) throws -> AskedQuestion {
        if !rest.isEmpty {
            throw UnquotedWords.failure((predicate.map { [$0] } ?? []) + rest, command: command)
        }
        guard predicate != nil || isOptional || shortcuts.isUsed else {
            throw ValidationError("Missing expected argument '<predicate>'")
        }
        if let predicate, ArgumentBytes().isReplaced(predicate) {
            throw Failure(
                status: ExitStatus.predicate,
                "the predicate is not UTF-8, and it must be; '?' in LIKE stands for each byte of a name that is none")
        }
        return try AskedQuestion(predicate ?? "", shortcuts, command: command)
    }
}

/// A question as it is asked of the daemon.
struct AskedQuestion {
    let predicate: String
    /// The question with names that begin with a dot; nil if these are not left out.
    let withHidden: String?
    /// The command as it would be typed, for advice.
    let command: String

    /// The question of a word or a predicate, with the options beside it.
    init(_ text: String, _ shortcuts: FileShortcuts, command: String) throws(Failure) {
        let hidesNames: Bool
        (predicate, hidesNames) = try shortcuts.predicate(text)
        var shortcuts = shortcuts
        shortcuts.includesHidden = true
        withHidden = hidesNames ? try shortcuts.predicate(text).text : nil
        self.command = command
    }
}

/// Values of `-t`, also with commas between.
struct TypeList: ExpressibleByArgument {
    let types: [TypeArgument]

    init?(argument: String) {
        let words = argument.split(separator: ",")
        types = words.compactMap { TypeArgument($0) }
        if types.isEmpty || types.count < words.count { return nil }
    }
}

extension SizeArgument: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension AgeArgument: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension TimeSpan: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
