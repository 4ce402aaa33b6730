// The predicates that short options make, lengths of time, templates of commands, and tables.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import Testing

@testable import gather

struct ShortcutPredicateTests {
    private func shortcuts(_ change: (inout FileShortcuts) -> Void) -> FileShortcuts {
        var shortcuts = FileShortcuts()
        change(&shortcuts)
        return shortcuts
    }

    @Test func withoutOptionsTheTextStays() {
        for text in ["", "report", "size > 1", "Item_*"] {
            #expect(FileShortcuts().predicate(text).text == text)
            #expect(!FileShortcuts().predicate(text).hidesNames)
        }
    }

    @Test func optionsMakeAPredicateThatIsOne() throws {
        let all = shortcuts {
            $0.extensions = ["pdf", ".tar.gz", "it's"]
            $0.types = [.kind("file"), .kind("symlink"), .executable]
            $0.sizes = [SizeArgument("+10M")!, SizeArgument("-1Gi")!]
            $0.changedWithin = AgeArgument("7d")
            $0.changedBefore = AgeArgument("2026-01-31 09:00")
        }
        let (text, hidesNames) = all.predicate("O'Re")
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

    @Test func predicateHoldsAsWellAndHidesNothing() {
        let kind = shortcuts { $0.types = [.kind("file")] }
        #expect(kind.predicate("size > 1 OR hidden == TRUE").text == "(size > 1 OR hidden == TRUE) AND kind == 'file'")
        #expect(!kind.predicate("size > 1").hidesNames)
        #expect(kind.predicate("").text == "kind == 'file' AND hidden == FALSE")
        #expect(shortcuts { $0.includesHidden = true }.predicate("").text == "")
        #expect(shortcuts { $0.includesHidden = true }.predicate("a").text == "name CONTAINS[c] 'a'")
    }

    @Test(arguments: [
        ("abc", false, "name CONTAINS[c] 'abc'"), ("Abc", false, "name CONTAINS 'Abc'"),
        ("a*", false, "name LIKE[c] 'a*'"), ("abc", true, "name LIKE[c] 'abc'"), ("'a b'", true, "name LIKE[c] 'a b'"),
    ])
    func words(_ word: String, _ isGlob: Bool, _ test: String) {
        let glob = shortcuts {
            $0.isGlob = isGlob
            $0.includesHidden = true
        }
        #expect(glob.predicate(word).text == test)
    }

    @Test(arguments: [
        ("+10M", "size >= 10MB"), ("-1k", "size <= 1KB"), ("10k", "size == 10KB"), ("0", "size == 0"),
        ("5b", "size == 5"),
        ("+1Gi", "size >= 1GiB"), ("+1gib", "size >= 1GiB"), ("2TB", "size == 2TB"), ("", nil), ("+", nil), ("M", nil),
        ("1x", nil), ("--1", nil), ("1.5M", nil), ("99999999999999999999", nil), ("9999999999T", nil),
    ])
    func sizes(_ text: String, _ predicate: String?) { #expect(SizeArgument(text)?.predicate == predicate) }

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
        let cut = table.lines(color: false, width: 30)
        #expect(cut == [" SIZE  NAME          KIND", "12345  漢字          file", "    1  abcdefghijk…  directory"])
        for width in 0...60 {
            for line in table.lines(color: false, width: width) { #expect(DisplayWidth.of(line) <= max(width, 26)) }
        }
    }
}
