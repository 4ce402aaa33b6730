// A predicate that a shell has taken apart.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import PredicateLanguage

/// A predicate that was not quoted. The shell split it into arguments, removed its quotes and expanded its patterns.
enum UnquotedWords {
    /// Returns the error for several arguments in place of one predicate, with the command that was probably meant.
    /// `command` is the beginning of that command.
    static func failure(
        _ words: [String], command: String, isFile: (String) -> Bool = UnquotedWords.isFile,
        isDirectory: (String) -> Bool = UnquotedWords.isDirectory
    ) -> Failure {
        let advice: String
        if let predicate = predicate(meantBy: words, isFile: isFile) {
            advice =
                "the predicate is one argument, in quotes. Did you mean: \(command) "
                + ShellText.doubleQuoted(predicate)
        } else if words.count == 2, isDirectory(words[1]), BareWord.word(in: words[0]) != nil {
            advice = "only one predicate is taken. To look below a directory: --in \(ShellText.quoted(words[1]))"
        } else if words.allSatisfy(isFile), let pattern = pattern(of: words) {
            advice =
                "the shell has put \(words.count) names in place of a pattern. Did you mean: \(command) "
                + ShellText.doubleQuoted("name LIKE " + PredicateText.literal(pattern))
        } else {
            advice =
                "the predicate is one argument, and \(words.count) were given. Put it into double quotes, and text within it "
                + "into single ones"
        }
        return Failure(status: ExitStatus.usage, advice)
    }

    /// Returns the predicate that the words were before the shell removed its quotes; nil if they make none. Several
    /// names of files in a row were a pattern.
    static func predicate(meantBy words: [String], isFile: (String) -> Bool) -> String? {
        let joined = words.joined(separator: " ")
        if isPredicate(joined) { return joined }
        var parts: [String] = []
        var text: [String] = []
        func endText() {
            guard !text.isEmpty else { return }
            let pattern = text.count > 1 && text.allSatisfy(isFile) ? pattern(of: text) : nil
            parts.append(PredicateText.literal(pattern ?? text.joined(separator: " ")))
            text = []
        }
        for word in words {
            if stands(word) {
                endText()
                parts.append(word)
            } else {
                text.append(word)
            }
        }
        endText()
        let quoted = parts.joined(separator: " ")
        return isPredicate(quoted) ? quoted : nil
    }

    private static func isPredicate(_ text: String) -> Bool {
        (try? Predicate(parsing: text, mode: .metadata)) != nil
    }

    /// Whether a word is not text: an attribute, a keyword, an operator, a number or a quoted literal.
    private static func stands(_ word: String) -> Bool {
        let name = word.drop { $0 == "(" || $0 == "!" }
        if BareWord.isKeyword(name) || Attribute(name: name) != nil { return true }
        if let first = word.first, "'\"{$=<>!&|()".contains(first) { return true }
        let digits = word.drop { $0 == "-" }.prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && isPredicate("size == \(word)")
    }

    /// Returns a pattern for names of one directory with a common beginning or end.
    private static func pattern(of names: [String]) -> String? {
        let names = names.map { Array($0.split(separator: "/").last ?? "") }
        guard let shortest = names.map(\.count).min(), let first = names.first else { return nil }
        let head = (0..<shortest).prefix { place in names.allSatisfy { $0[place] == first[place] } }.count
        let tail = (0..<shortest - head).prefix { place in
            names.allSatisfy { $0[$0.count - 1 - place] == first[first.count - 1 - place] }
        }.count
        guard head + tail > 0 else { return nil }
        return String(first.prefix(head)) + "*" + String(first.suffix(tail))
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
