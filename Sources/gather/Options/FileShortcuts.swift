// The short options of find, and the predicate that they stand for.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// The short options of `find`, `watch` and their kin, as `fd` has them, and the predicate that they stand for.
struct FileShortcuts: Equatable {
    /// Extensions, of which an item has one.
    var extensions: [String] = []
    /// Kinds, of which an item has one.
    var types: [TypeArgument] = []
    /// Conditions on the size that all hold.
    var sizes: [SizeArgument] = []
    var changedWithin: AgeArgument?
    var changedBefore: AgeArgument?
    /// Whether a word is a pattern for the whole name.
    var isGlob = false
    /// Whether names that begin with a dot are included.
    var includesHidden = false

    /// Whether any of them was given.
    var isUsed: Bool { self != FileShortcuts() }

    /// Returns the predicate for a word or a predicate and these options. `hidesNames` tells whether names that begin
    /// with a dot are left out.
    ///
    /// A word that is not a predicate is a part of the name, or with `-g` or wildcards a pattern for all of it. A predicate
    /// must hold as well as the options. Hidden names are left out, as `fd` does, unless there is a predicate.
    ///
    /// - Throws: ``Failure`` for a pattern that cannot be read.
    func predicate(_ text: String) throws(Failure) -> (text: String, hidesNames: Bool) {
        let word = word(in: text)
        guard isUsed || word != nil else { return (text, false) }
        var tests: [String] = []
        let isPredicate = !text.isEmpty && word == nil
        if isPredicate { tests.append(text) }
        if let word { tests.append(try nameTest(word)) }
        if !extensions.isEmpty { tests.append(FileShortcuts.any(extensions.map(FileShortcuts.extensionTest))) }
        if let kinds = kindTest { tests.append(kinds) }
        tests += sizes.map(\.predicate)
        if let changedWithin { tests.append("modified >= \(changedWithin.moment)") }
        if let changedBefore { tests.append("modified < \(changedBefore.moment)") }
        let hidesNames = !isPredicate && !includesHidden
        if hidesNames { tests.append("hidden == FALSE") }
        // The text of a user may have an OR.
        if isPredicate, tests.count > 1 { tests[0] = "(\(tests[0]))" }
        return (tests.joined(separator: " AND "), hidesNames)
    }

    /// The word of a text; nil for a predicate. Beside other options, the name of an attribute is a word as well.
    private func word(in text: String) -> String? {
        if !isUsed { return BareWord.name(in: text) }
        if isGlob, !text.isEmpty, (try? Predicate(parsing: text, mode: .metadata)) == nil {
            return BareWord.unquoted(text)
        }
        return BareWord.word(in: text)
    }

    /// A name that has the word in it, or that the whole pattern fits. Capitals in the word make case count ("smart
    /// case").
    private func nameTest(_ word: String) throws(Failure) -> String {
        let ignoresCase = !word.contains { $0.isUppercase }
        let options = ignoresCase ? "[c]" : ""
        if isGlob { return try GlobPattern(word).test(options: options) }
        let isPattern = word.contains("*") || word.contains("?")
        return "name \(isPattern ? "LIKE" : "CONTAINS")\(options) \(PredicateText.literal(word))"
    }

    private static func extensionTest(_ text: String) -> String {
        let ending = text.hasPrefix(".") ? String(text.dropFirst()) : text
        // The attribute has only the part after the last dot.
        return ending.contains(".")
            ? "name ENDSWITH[c] \(PredicateText.literal("." + ending))"
            : "fileExtension ==[c] \(PredicateText.literal(ending))"
    }

    private var kindTest: String? {
        var types = types
        // As by fd, a size is that of a file.
        if types.isEmpty, !sizes.isEmpty { types = [.kind("file")] }
        let kinds = types.compactMap(\.kind)
        var tests: [String] = []
        if kinds.count == 1 { tests.append("kind == '\(kinds[0])'") }
        if kinds.count > 1 { tests.append("kind IN {\(kinds.map { "'\($0)'" }.joined(separator: ", "))}") }
        if types.contains(.executable) {
            tests.append("(kind == 'file' AND bitwiseAnd:with:(mode, 0o111) != 0)")
        }
        return tests.isEmpty ? nil : FileShortcuts.any(tests)
    }

    private static func any(_ tests: [String]) -> String {
        tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
    }
}

/// The value of `-t`: a letter of `fd`, or the name of a kind.
enum TypeArgument: Equatable {
    case kind(String)
    /// A file with a permission to execute it.
    case executable

    /// Letters and names, each with its kind; `x` is the only one without.
    private static let kinds: [(letter: String, names: [String], kind: String)] = [
        ("f", ["file"], "file"), ("d", ["directory", "dir"], "directory"), ("l", ["symlink"], "symlink"),
        ("p", ["pipe", "fifo"], "fifo"), ("s", ["socket"], "socket"),
        ("c", ["char-device", "characterDevice"], "characterDevice"),
        ("b", ["block-device", "blockDevice"], "blockDevice"), ("package", [], "package"),
    ]

    init?(_ text: some StringProtocol) {
        if text == "x" || text == "executable" {
            self = .executable
        } else if let kind = TypeArgument.kinds.first(where: { $0.letter == text || $0.names.contains(String(text)) }) {
            self = .kind(kind.kind)
        } else {
            return nil
        }
    }

    var kind: String? { if case .kind(let kind) = self { kind } else { nil } }

    static var words: [String] { kinds.map(\.letter) + ["x"] }
}

/// The value of `--size`: `+10M`, `-1k`, `10k`.
struct SizeArgument: Equatable {
    let predicate: String

    /// Units of 1000 and, with an `i`, of 1024, as `fd` has them, with the units of a predicate.
    private static let units: [(letters: [String], unit: String, bytes: Int)] = [
        (["", "b"], "", 1), (["k", "kb"], "KB", 1_000), (["m", "mb"], "MB", 1_000_000),
        (["g", "gb"], "GB", 1_000_000_000), (["t", "tb"], "TB", 1_000_000_000_000), (["ki", "kib"], "KiB", 1 << 10),
        (["mi", "mib"], "MiB", 1 << 20), (["gi", "gib"], "GiB", 1 << 30), (["ti", "tib"], "TiB", 1 << 40),
    ]

    init?(_ text: String) {
        var rest = Substring(text)
        let sign = rest.first
        if sign == "+" || sign == "-" { rest = rest.dropFirst() }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let letters = rest.dropFirst(digits.count).lowercased()
        guard let number = Int(digits), let unit = SizeArgument.units.first(where: { $0.letters.contains(letters) }),
            !number.multipliedReportingOverflow(by: unit.bytes).overflow
        else { return nil }
        predicate = "size \(sign == "+" ? ">=" : sign == "-" ? "<=" : "==") \(number)\(unit.unit)"
    }
}
