// The predicates that short options make, lengths of time, templates of commands, and tables.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

@testable import gather

struct ShortcutPredicateTests {
    private func shortcuts(_ change: (inout FileShortcuts) -> Void) -> FileShortcuts {
        var shortcuts = FileShortcuts()
        change(&shortcuts)
        return shortcuts
    }

    @Test func withoutOptionsAPredicateStays() throws {
        for text in [
            "", "size > 1", "name LIKE 'Item_*'", "title LIKE[c] '*milk*'", "hidden", "size 10M", ".", "/srv",
            "nmae LIKE foo", "nmae ~ 'x'", "nmae = foo", "name like foo", "NOT hidden", "!hidden", "not hidden",
            "(hidden)", "length(name)", "bitwiseAnd:with:(mode, 0o111)", "a && b", "nmae IN {'a', 'b'}", "(nmae == 'x'",
            "ANY tags", "any tags", "nmae BEGINSWITH[c] x", "nmae 'x'", "TRUEPREDICATE",
        ] {
            #expect(try FileShortcuts().predicate(text).text == text)
            #expect(try !FileShortcuts().predicate(text).hidesNames)
        }
    }

    /// As beside other options.
    @Test(arguments: [
        ("report", "name CONTAINS[c] 'report'"), ("Item_*", "name LIKE 'Item_*'"),
        ("my file", "name CONTAINS[c] 'my file'"),
        ("'in'", "name CONTAINS[c] 'in'"), ("all", "name CONTAINS[c] 'all'"), ("^a", "name CONTAINS[c] '^a'"),
        ("photo(1).jpg", "name CONTAINS[c] 'photo(1).jpg'"), ("src/extras", "name CONTAINS[c] 'src/extras'"),
        ("\\.txt$", "name CONTAINS[c] '\\\\.txt$'"), ("jpg|png", "name CONTAINS[c] 'jpg|png'"),
        ("photo (1)", "name CONTAINS[c] 'photo (1)'"), ("lost in space", "name CONTAINS[c] 'lost in space'"),
        ("R&D", "name CONTAINS 'R&D'"), ("hello!", "name CONTAINS[c] 'hello!'"),
        ("not found", "name CONTAINS[c] 'not found'"),
        ("img_\\d{2,4}", "name CONTAINS[c] 'img_\\\\d{2,4}'"), ("jpe?g", "name LIKE[c] 'jpe?g'"),
        ("don't", "name CONTAINS[c] 'don\\'t'"), ("a (b, c)", "name CONTAINS[c] 'a (b, c)'"),
        ("cash $5", "name CONTAINS[c] 'cash $5'"), ("Tom and Jerry", "name CONTAINS 'Tom and Jerry'"),
    ])
    func aWordAloneIsAPartOfTheName(_ word: String, _ test: String) throws {
        let (text, hidesNames) = try FileShortcuts().predicate(word)
        #expect(text == test + " AND hidden == FALSE" && hidesNames)
        let beside = try shortcuts { $0.types = [.kind("file")] }.predicate(word).text
        #expect(beside == test + " AND kind == 'file' AND hidden == FALSE")
        _ = try Predicate(parsing: text, mode: .metadata)
    }

    @Test(arguments: [
        ("[ab].py", "a.py", "c.py"), ("*.{py,txt}", "x.txt", "x.tx"), ("[!a-c]*", "d", "b"), ("[^0-9]?", "ab", "1b"),
        ("{a,b{c,d}}.x", "bd.x", "b.x"), ("[]x].y", "].y", "a.y"), ("a\\[1].z", "a[1].z", "a1.z"),
        ("{*.c,q}", "x.c", "x.cc"),
        ("a.{b}", "a.b", "axb"), ("[.]h", ".h", "ah"), ("**.{c,h}", "dir.h", "h"), ("x{,.bak}", "x.bak", "x.ba"),
        ("[a\\]]", "]", "\\"), ("}{a,b}", "}a", "a"), ("[$^.|]*{+}", "^+", "a+"),
    ])
    func globs(_ pattern: String, _ match: String, _ other: String) throws {
        let glob = shortcuts {
            $0.isGlob = true
            $0.includesHidden = true
        }
        let text = try glob.predicate(pattern).text
        let predicate = try Predicate(parsing: text, mode: .metadata)
        #expect(try predicate.evaluate(on: NamedItem(name: match)), "\(text)")
        #expect(try !predicate.evaluate(on: NamedItem(name: other)), "\(text)")
    }

    @Test func aGlobThatIsCutOffIsRefused() {
        for pattern in ["[ab.py", "*.{py,txt", "[]", "{a,[}"] {
            let glob = shortcuts { $0.isGlob = true }
            #expect(throws: Failure.self, "\(pattern)") { try glob.predicate(pattern) }
        }
    }

    private struct NamedItem: AttributeValues {
        let name: String

        func value(of attribute: Attribute) -> MetadataValue { attribute == .name ? .string(name) : .none }

        func withText<Result>(
            of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
        ) throws(EvaluationError) -> Result {
            try Array(name.utf8).withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
                try body(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// Advice is a command that can be typed.
    @Test(arguments: [
        (["search", "jpg"], "gather find jpg"), (["locate", "my file"], "gather find 'my file'"),
        (["beach"], "gather find beach"), (["wacth", "x"], "gather watch"),
        (["*.txt"], "gather find \"name LIKE '*.txt'\""),
        (["name", "LIKE", "x"], "gather find \"name LIKE 'x'\""),
    ])
    func anUnknownCommandNamesOneThatWorks(_ arguments: [String], _ meant: String) {
        #expect {
            try UnknownCommand.check(arguments)
        } throws: { error in (error as? Failure)?.message.hasSuffix("Did you mean: \(meant)") == true }
    }

    @Test func optionsMakeAPredicateThatIsOne() throws {
        let all = shortcuts {
            $0.extensions = ["pdf", ".tar.gz", "it's"]
            $0.types = [.kind("file"), .kind("symlink"), .executable]
            $0.sizes = [SizeArgument("+10M")!, SizeArgument("-1Gi")!]
            $0.changedWithin = AgeArgument("7d")
            $0.changedBefore = AgeArgument("2026-01-31 09:00")
        }
        let (text, hidesNames) = try all.predicate("O'Re")
        #expect(
            text.hasPrefix(
                """
                name CONTAINS 'O\\'Re' AND (fileExtension ==[c] 'pdf' OR name ENDSWITH[c] '.tar.gz' OR fileExtension ==[c] \
                'it\\'s') AND (kind IN {'file', 'symlink'} OR (kind == 'file' AND bitwiseAnd:with:(mode, 0o111) != 0)) AND \
                size >= 10MB AND size <= 1GiB AND modified >= $time.now(-604800) AND modified < '2026-01-
                """))
        #expect(hidesNames && text.hasSuffix("Z' AND hidden == FALSE"))
        _ = try Predicate(parsing: text, mode: .metadata)
    }

    @Test func predicateHoldsAsWellAndHidesNothing() throws {
        let kind = shortcuts { $0.types = [.kind("file")] }
        #expect(
            try kind.predicate("size > 1 OR hidden == TRUE").text == "(size > 1 OR hidden == TRUE) AND kind == 'file'")
        #expect(try !kind.predicate("size > 1").hidesNames)
        #expect(try kind.predicate("").text == "kind == 'file' AND hidden == FALSE")
        #expect(try shortcuts { $0.includesHidden = true }.predicate("").text == "")
        #expect(try shortcuts { $0.includesHidden = true }.predicate("a").text == "name CONTAINS[c] 'a'")
    }

    @Test(arguments: [
        ("abc", false, "name CONTAINS[c] 'abc'"), ("Abc", false, "name CONTAINS 'Abc'"),
        ("a*", false, "name LIKE[c] 'a*'"), ("abc", true, "name LIKE[c] 'abc'"), ("'a b'", true, "name LIKE[c] 'a b'"),
    ])
    func words(_ word: String, _ isGlob: Bool, _ test: String) throws {
        let glob = shortcuts {
            $0.isGlob = isGlob
            $0.includesHidden = true
        }
        #expect(try glob.predicate(word).text == test)
    }

    @Test(arguments: [
        ("+10M", "size >= 10MB"), ("-1k", "size <= 1KB"), ("10k", "size == 10KB"), ("0", "size == 0"),
        ("5b", "size == 5"),
        ("+1Gi", "size >= 1GiB"), ("+1gib", "size >= 1GiB"), ("2TB", "size == 2TB"), ("", nil), ("+", nil), ("M", nil),
        ("1x", nil), ("--1", nil), ("1.5M", nil), ("99999999999999999999", nil), ("9999999999T", nil),
    ])
    func sizes(_ text: String, _ predicate: String?) { #expect(SizeArgument(text)?.predicate == predicate) }

    /// A size of a list can be typed as one of a predicate.
    @Test(arguments: [
        (999, "999"), (1_000, "1.0k"), (1_500, "1.5k"), (2_000_000, "2.0M"), (2_097_152, "2.1M"), (999_500, "1.0M"),
        (12_345_678_901, "12G"),
    ])
    func sizesOfAListCountAsThoseOfOptions(_ bytes: Int64, _ text: String) throws {
        #expect(Readable.size(bytes) == text)
        guard bytes % 1_000_000 == 0 else { return }
        let typed = try #require(SizeArgument(text.replacing(".0", with: "")))
        #expect(typed.predicate == "size == \(bytes / 1_000_000)MB")
    }

    @Test func timesAreShownAsTheyWereTyped() throws {
        let typed = TypedTimes(
            in: "modified > '-7d' OR created < '2 weeks ago' OR name == '-7d' AND modified < '2026-01-31'",
            [try #require(AgeArgument("2h30min")), try #require(AgeArgument("2026-01-31"))])
        #expect(
            typed.restored("modified > $time.now(-604800) OR created < $time.now(-1209600) OR size > $time.now(-9000)")
                == "modified > '-7d' OR created < '2 weeks ago' OR size > '-2h30min'")
        #expect(typed.restored("modified > $time.now(-1)") == "modified > $time.now(-1)")
    }

    @Test(arguments: [
        ("10", 10_000), ("10s", 10_000), ("1.5", 1_500), ("250ms", 250), ("2h30min", 9_000_000), ("1h 5m", 3_900_000),
        ("7d", 604_800_000), ("2weeks", 1_209_600_000), ("1M", 2_630_016_000), ("", nil), ("x", nil), ("1x", nil),
        ("-1", nil), ("5 5", nil), ("1h5", nil), ("1e3", nil), ("nan", nil), ("infs", nil), ("99999999999y", nil),
        (".", nil),
    ])
    func spans(_ text: String, _ milliseconds: Int?) { #expect(TimeSpan(text)?.milliseconds == milliseconds) }

    @Test(arguments: [
        ("7d", "$time.now(-604800)"), ("1ms", "$time.now(-1)"), ("2026-01-31", "'2026-01-31'"),
        ("2026-01-31T09:00:00+01:00", "'2026-01-31T09:00:00+01:00'"), ("7", nil),
        ("2026-02-31 09:00", nil), ("2026-01-31 09:00 x", nil), ("yesterday?", nil), ("@x", nil),
    ])
    func ages(_ text: String, _ moment: String?) { #expect(AgeArgument(text)?.moment == moment) }

    @Test func secondsSince1970AreADate() {
        #expect(AgeArgument("@86400")?.moment.hasPrefix("'1970-01-02T00:00:00") == true)
        for (text, last) in [
            ("@9223372036854775807", "2262"), ("9999-12-31 23:59:59", "2262"), ("1000-01-01 00:00", "1677"),
        ] {
            #expect(AgeArgument(text)?.moment.hasPrefix("'" + last) == true, "\(text)")
        }
        #expect(AgeArgument("@9223372036854775808") == nil)
    }

    @Test func placeholdersOfACommand() throws {
        func filled(_ words: [String], _ path: String) throws -> [String] {
            try #require(CommandTemplate(words)).arguments(for: Array(path.utf8)).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        #expect(
            try filled(["a{}b", "{/}", "{//}", "{.}", "{/.}", "{", "{}{}"], "/x/y.tar.gz")
                == ["a/x/y.tar.gzb", "y.tar.gz", "/x", "/x/y.tar", "y.tar", "{", "/x/y.tar.gz/x/y.tar.gz"])
        #expect(try filled(["cat"], "/.x") == ["cat", "/.x"])
        #expect(try filled(["{//}", "{.}"], "/.x") == ["/", "/.x"])
        #expect(try filled(["echo", ";"], "/a") == ["echo", "/a"])
        for words in [[], [";"], ["+"], [""]] { #expect(CommandTemplate(words) == nil) }
        let several = try #require(CommandTemplate(["mv", "-t", "x", "{}"]))
        #expect(
            several.arguments(for: [[0x61], [0xFF]]) == [Array("mv".utf8), Array("-t".utf8), [0x78], [0x61], [0xFF]])
    }

    @Test func batchesStayBelowTheLimits() {
        let paths = (0..<12_000).map { Array("/p\($0)".utf8) }
        let batches = CommandTemplate.batches(paths)
        #expect(batches.flatMap(\.self) == paths)
        #expect(batches.allSatisfy { $0.count <= CommandTemplate.mostPaths } && batches.count == 3)
        let long = [UInt8](repeating: 0x61, count: 4_000)
        #expect(CommandTemplate.batches(Array(repeating: long, count: 100)).count == 4)
        #expect(CommandTemplate.batches([]).isEmpty)
    }

    @Test func tablePadsByColumnsOfTheTerminal() {
        var table = Table(header: [("size", true), ("name", false), ("kind", false)])
        #expect(table.lines(color: false) == [])
        table.add([.init("12345", alignsRight: true), .init("漢字"), .init("file")])
        table.add([.init("1", alignsRight: true), .init("abcdefghijklmnopqrst"), .init("directory")])
        #expect(
            table.lines(color: false) == [
                " SIZE  NAME                  KIND", "12345  漢字                  file",
                "    1  abcdefghijklmnopqrst  directory",
            ])
        var dated = Table(header: [("size", true), ("modified", false), ("path", false)])
        dated.add([
            .init("2.0M", alignsRight: true), .init("2026-01-31 09:00", .dim), .init("/srv/a/long/directory/name.txt"),
        ])
        #expect(
            dated.lines(color: false, width: 40) == [
                "SIZE  MODIFIED          PATH", "2.0M  2026-01-31 09:00  …ectory/name.txt",
            ])
        #expect(dated.lines(color: false, width: 20).last == "2.0M  2026-01-31 09:00  …ame.txt")
        #expect(dated.lines(color: false, width: 80).last?.hasSuffix("  /srv/a/long/directory/name.txt") == true)
        let cut = table.lines(color: false, width: 30)
        #expect(cut == [" SIZE  NAME          KIND", "12345  漢字          file", "    1  abcdefghijk…  directory"])
        for width in 0...60 {
            for line in table.lines(color: false, width: width) { #expect(DisplayWidth.of(line) <= max(width, 26)) }
        }
    }
}
