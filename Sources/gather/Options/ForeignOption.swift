// Options of find, fd and their kin that are none here.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// An option of `find`, `fd`, `ls` or `plocate` that the commands with a predicate do not have.
struct ForeignOption {
    let names: Set<String>
    /// The arguments that do the same; empty where there are none.
    let instead: [String]
    /// The reason, or what to do instead.
    let remark: String?

    private init(_ names: String, instead: String..., remark: String? = nil) {
        self.names = Set(names.split(separator: " ").map(String.init))
        (self.instead, self.remark) = (instead, remark)
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
            "--color --colour", remark: "there is no such option: a terminal gets colours, unless NO_COLOR=1 is set"),
        ForeignOption(
            "--newer -newer -newermt -mtime -mmin --mtime --changed-after", instead: "--changed-within", "7d"),
        ForeignOption("--older", instead: "--changed-before", "7d"),
        ForeignOption("--owner -o -uid --uid -user", instead: "owner == 'root'"),
        ForeignOption("--group -group -gid", instead: "group == 'users'"),
        ForeignOption("-V", remark: "'gather --version' prints the version"),
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
        if let command = arguments.first, commands.contains(command),
            let (name, option) = foreign(in: arguments.dropFirst(), lines[0])
        {
            let rest = lines.dropFirst().drop { !$0.hasPrefix("Usage:") }
            return (["unknown option '\(name)'. \(option.advice)"] + rest).joined(separator: "\n")
        }
        // The parser names the nearest option, however far it is.
        let parts = lines[0].split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 5, parts[0] == "Unknown option ", Spelling.nearest(to: parts[1], among: [parts[3]]) == nil {
            lines[0] = "Unknown option '\(parts[1])'"
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the first option of another tool that the parser refused. It takes the letters of `-name` apart.
    private static func foreign(in arguments: ArraySlice<String>, _ message: String) -> (String, ForeignOption)? {
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") {
            let name = String(argument.prefix { $0 != "=" })
            guard let option = all.first(where: { $0.names.contains(name) }) else { continue }
            let isLong = name.utf8.count > 2 && !name.hasPrefix("--")
            if isLong || message.hasPrefix("Unknown option '\(name)'") { return (name, option) }
        }
        return nil
    }
}
