// Options of find, fd and their kin that are none here.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import PredicateLanguage

/// An option of `find`, `fd`, `ls` or `plocate` that is none of the command.
struct ForeignOption {
    let names: Set<String>
    /// The arguments that do the same; empty where there are none.
    let instead: [String]
    /// The reason, or what to do instead.
    let remark: String?
    /// Whether the remark is true of each command, and not only of those with a predicate.
    private let isOfAll: Bool

    private init(_ names: String, instead: String..., remark: String? = nil, isOfAll: Bool = false) {
        self.names = Set(names.split(separator: " ").map(String.init))
        (self.instead, self.remark, self.isOfAll) = (instead, remark, isOfAll)
    }

    /// The commands whose options are like those of `fd`.
    private static let commands: Set<String> = ["find", "watch", "count", "values", "changes", "explain", "filter"]

    static let all = [
        ForeignOption(
            "-name --name -iname --iname", instead: "-g", "*.txt", remark: "a word alone is a part of the name"),
        ForeignOption("-path --path -ipath -wholename -p --full-path", instead: "path LIKE '*/src/*'"),
        ForeignOption("-regex -iregex -r --regex", instead: "name MATCHES '.*[0-9].*'"),
        ForeignOption("-E --exclude -not", instead: "NOT name LIKE '*.o'"),
        ForeignOption(
            "-d --max-depth -maxdepth --maxdepth", instead: "depth <= 2", remark: "1 is the top of a container"),
        ForeignOption("--min-depth -mindepth --mindepth --exact-depth", instead: "depth >= 2"),
        ForeignOption(
            "-c --color --colour", remark: "there is no such option: a terminal gets colours, unless NO_COLOR=1 is set",
            isOfAll: true),
        ForeignOption(
            "--newer -newer -newermt -mtime -mmin --mtime --changed-after", instead: "--changed-within", "7d"),
        ForeignOption("--older", instead: "--changed-before", "7d"),
        ForeignOption(
            "-o -or", instead: "name LIKE '*.c' OR name LIKE '*.h'", remark: "-o of fd is \"owner == 'root'\""),
        ForeignOption("--owner -uid --uid -user", instead: "owner == 'root'"),
        ForeignOption("--group -group -gid", instead: "group == 'users'"),
        ForeignOption("-V", remark: "'gather --version' prints the version", isOfAll: true),
        ForeignOption(
            "-x --exec -X --exec-batch -exec -execdir -ok -delete",
            remark: "there is no such option: use -0 and '| xargs -0 COMMAND'. 'gather watch' has --exec"),
        ForeignOption("-type --kind", instead: "-t", "f"), ForeignOption("-size", instead: "-S", "+10M"),
        ForeignOption("-empty --empty", instead: "size == 0"), ForeignOption("-perm --perm", instead: "mode == 0644"),
        ForeignOption("-print0 --print0", instead: "-0"),
        ForeignOption("-l --list-details --long -ls", instead: "--attributes", "mode,owner,size,modified,path"),
        ForeignOption("-u --unrestricted -a --all", instead: "--hidden"),
        ForeignOption("-I --no-ignore", remark: "there is no such option: no file says what to leave out"),
        ForeignOption(
            "-i --ignore-case -s --case-sensitive",
            remark: "there is no such option: case counts if a word has a capital letter"),
        ForeignOption("-L --follow", remark: "there is no such option: symbolic links are not followed"),
        ForeignOption("-F --fixed-strings", remark: "there is no such option: a word is taken as it is"),
        ForeignOption("-n -1 --max-results --max-count --head", instead: "--limit", "10"),
        ForeignOption("-C --base-directory --search-path", instead: "--in", "."),
        ForeignOption(
            "-printf -fprintf", instead: "--attributes", "size,modified,path", remark: "--json has all attributes"),
        ForeignOption("-print", remark: "there is no such option: paths are printed anyway"),
        ForeignOption(
            "-xdev -mount --one-file-system --xdev --mount", instead: "device == 2049",
            remark: "'stat -c %d .' prints the number of a file system"),
        ForeignOption("-prune --prune", instead: "NOT path CONTAINS '/node_modules/'"),
        ForeignOption("-q", instead: "--quiet"), ForeignOption("--format", instead: "--json"),
    ]

    /// The advice of one line.
    var advice: String {
        guard !instead.isEmpty else { return remark ?? "" }
        let words = instead.map { $0.contains(" ") ? ShellText.doubleQuoted($0) : ShellText.quoted($0) }
        return "Did you mean: " + words.joined(separator: " ") + (remark.map { " (\($0))" } ?? "")
    }

    /// Returns the message of the parser of arguments with the advice of this table. An option with an own advice gets none that
    /// only looks alike.
    static func message(_ message: String, _ arguments: [String]) -> String {
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.first else { return message }
        lines[0] = first.hasPrefix("Error: ") ? String(first.dropFirst(7)) : first
        if let refused = refusedOption(lines[0]), let (argument, option) = foreign(in: arguments, refused) {
            let rest = lines.dropFirst().drop { !$0.hasPrefix("Usage:") }
            return (["unknown option '\(argument)'. \(option.advice)"] + rest).joined(separator: "\n")
        }
        // The parser names the nearest option, however far it is.
        let parts = lines[0].split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 5, parts[0] == "Unknown option ", Spelling.nearest(to: parts[1], among: [parts[3]]) == nil {
            lines[0] = "Unknown option '\(parts[1])'"
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the option that a message of the parser is about: `Unknown option '-x'`, `Missing value for '-e <ext>'`, `The value 'y'
    /// is invalid for '-t <type>'`.
    private static func refusedOption(_ message: String) -> Substring? {
        let about = message.ranges(of: " is invalid for '").last.map { message[$0.upperBound...] }
        guard let rest = about ?? message.firstIndex(of: "'").map({ message[$0...].dropFirst() }) else { return nil }
        let option = rest.prefix { $0 != "'" && $0 != " " }
        return option.hasPrefix("-") ? option : nil
    }

    /// Returns the first option of another tool that the parser refused, without a value behind `=`. The parser takes the letters of
    /// `-name` apart, and refuses one of them.
    private static func foreign(in arguments: [String], _ refused: Substring) -> (String, ForeignOption)? {
        let command = ParsedCommand(arguments)
        for argument in command.options(in: arguments) {
            let name = String(argument.prefix { $0 != "=" })
            let isLong = name.utf8.count > 2 && !name.hasPrefix("--")
            guard
                name == refused || argument == refused
                    || isLong && refused.utf8.count == 2 && name.contains(refused.dropFirst())
            else { continue }
            let option = all.first { $0.names.contains(name) } ?? (isLong ? attached(name) : nil)
            if let option, option.isFor(command) { return (option.names.contains(name) ? name : argument, option) }
        }
        return nil
    }

    /// The option of `fd` whose value is in the same argument, such as `-d2` and `-E*.o`. A small letter before letters is an option of
    /// find(1), such as `-depth`.
    private static func attached(_ argument: String) -> ForeignOption? {
        guard let letter = argument.dropFirst().first, let next = argument.dropFirst(2).first,
            letter.isUppercase || !next.isLetter
        else { return nil }
        return all.first { $0.names.contains("-\(letter)") }
    }

    /// Whether the advice is for a command: one with a predicate, or one that has the option that is advised.
    private func isFor(_ command: ParsedCommand) -> Bool {
        isOfAll || ForeignOption.commands.contains(command.name)
            || instead.first.map { $0.hasPrefix("-") && command.options.contains($0) } ?? false
    }
}
