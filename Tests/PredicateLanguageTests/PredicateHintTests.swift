// Remarks on predicates that are valid and probably mistaken.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata
import PredicateLanguage
import Testing

@Suite struct PredicateHintTests {
    @Test(
        "A mistaken comparison gets a remark with the comparison to write",
        arguments: [
            ("name == '*.txt'", 8, "== takes '*' literally; write name LIKE '*.txt'"),
            ("kMDItemFSName ==[c] 'a?'", 20, "== takes '?' literally; write name LIKE[c] 'a?'"),
            ("size > 1 AND name != '*.o'", 21, "!= takes '*' literally; write NOT name LIKE '*.o'"),
            ("name IN {'a', 'b*'}", 14, "IN takes '*' literally; write name LIKE 'b*'"),
            ("name BEGINSWITH 'IMG_*'", 16, "BEGINSWITH takes '*' literally; write name LIKE 'IMG_*'"),
            ("tags == 'work*'", 8, "== takes '*' literally; write ANY tags LIKE 'work*'"),
            ("name == '*' AND size > 1", 8, "== takes '*' literally; write name != NULL"),
            ("name LIKE '%foo%'", 10, "the wildcard of LIKE is '*'; write name LIKE '*foo*'"),
            ("fileExtension == '.txt'", 17, "an extension does not begin with '.'; write fileExtension == 'txt'"),
            ("name == 'a/b'", 8, "a name has no '/'; write path ENDSWITH '/a/b'"),
            ("name LIKE 'a/*.c'", 10, "a name has no '/'; write path LIKE '*/a/*.c'"),
            ("path BEGINSWITH '~/x'", 16, "'~' stands for no directory here"),
            ("path == 'a/b'", 8, "a path begins with '/'; write path ENDSWITH '/a/b'"),
            ("path == '/srv/'", 8, "a path does not end with '/'; write path == '/srv'"),
            ("'name' == 'x'", 0, "this compares two constants, and no attribute; write name == 'x'"),
            (
                "modified == '-7d'", 12,
                "== compares with one moment, to the nanosecond; write modified >= $time.now(-604800)"
            ),
            (
                "modified == '2026-02-28'", 12,
                "== compares with one moment, to the nanosecond; write modified >= '2026-02-28' AND modified < '2026-03-01'"
            ),
            (
                "modified == '2026-02-28 10:00:00 +0000'", 12,
                "== compares with one moment, to the nanosecond; write modified >= '2026-02-28T10:00:00.000000000Z' AND modified < '2026-02-28T10:00:01.000000000Z'"
            ),
            ("mode == 644", 8, "644 is decimal, which is the mode 01204; write mode == 0644"),
            ("size == 0100", 8, "0100 is decimal here; write 0o100"),
            ("contentType == 'public.jpg'", 15, "no content type is called 'public.jpg'; write 'public.jpeg'"),
            (
                "contentType == 'image'", 15,
                "no content type is called 'image'; write contentType UTI-CONFORMS-TO 'image/*'"
            ),
            ("contentType == 'pdf'", 15, "no content type is called 'pdf'; write contentType == 'application/pdf'"),
            ("contentTypeTree == 'zzz'", 19, "no content type is called 'zzz'"),
            ("contentType == 'image/*'", 15, "== takes '*' literally; write contentType UTI-CONFORMS-TO 'image/*'"),
        ] as [(String, Int, String)])
    func remarks(text: String, position: Int, remark: String) throws {
        let hints = try Predicate(parsing: text, mode: .metadata).hints
        #expect(hints.map(\.description) == [remark])
        #expect(hints.first?.position == position)
    }

    /// The comparison that a hint suggests holds for an item that its author may have meant.
    @Test(arguments: [
        ("name CONTAINS[c] 'src/extras'", "/srv/src/extras/a"), ("name CONTAINS 'src/'", "/srv/src/a"),
        ("name == './src/a.c'", "/srv/src/a.c"), ("name BEGINSWITH '/srv/sr'", "/srv/src/a"),
        ("name LIKE './a*'", "/srv/ab"),
        ("name LIKE '*/a*'", "/srv/ab"), ("name ENDSWITH 'b//c'", "/srv/b/c"), ("name == 'src/'", "/srv/src"),
        ("path BEGINSWITH './a'", "/srv/x/ab"), ("path BEGINSWITH 'a'", "/srv/ab"), ("path == './a/./b'", "/srv/a/b"),
        ("path LIKE './a*'", "/srv/ab"), ("path == '/srv/./a//b'", "/srv/a/b"),
        ("path BEGINSWITH '/srv//.a'", "/srv/.ab"),
        ("path == '/srv/'", "/srv"), ("name MATCHES 'beach'", "/srv/my beach.jpg"), ("name MATCHES '^a'", "/srv/ab"),
        ("name MATCHES '\\\\.txt$'", "/srv/b.txt"), ("name MATCHES[c] 'sea|beach'", "/srv/a Beach"),
        ("name CONTAINS[c] '^a'", "/srv/Ab"), ("name CONTAINS[c] 'a.*b$'", "/srv/xaxb"),
        ("name LIKE 'a.*b'", "/srv/xaxbx"),
        ("name CONTAINS 'img_[0-9]'", "/srv/img_7.jpg"), ("name CONTAINS '\\\\d\\\\d'", "/srv/a12"),
        ("name CONTAINS 'jpg|png'", "/srv/a.png"), ("name CONTAINS '^src/a'", "/srv/src/a1"),
        ("name CONTAINS '^a|b$'", "/srv/xb"), ("name == '*.txt'", "/srv/a.txt"), ("name LIKE '%foo%'", "/srv/afoob"),
        ("fileExtension == '.txt'", "/srv/a.txt"),
    ])
    func aSuggestionFindsWhatWasMeant(text: String, path: String) throws {
        let hint = try #require(try Predicate(parsing: text, mode: .metadata).hints.first, "\(text)")
        let meant = try Predicate(parsing: try #require(hint.suggestion, "\(text)"), mode: .metadata)
        #expect(meant.hints.isEmpty, "\(text): \(meant.hints)")
        let name = String(path.split(separator: "/").last ?? "")
        let values: [Attribute: MetadataValue] = [
            .path: .string(path), .displayName: .string(name),
            .fileExtension: name.contains(".") ? .string(String(name.split(separator: ".").last ?? "")) : .none,
        ]
        let item = PlayedItem(values: values, nameBytes: Array(name.utf8))
        #expect(try meant.evaluate(on: item), "\(text): \(hint)")
        #expect(try !Predicate(parsing: text, mode: .metadata).evaluate(on: item), "\(text) holds itself")
    }

    /// No suggestion is better than one that matches nothing.
    @Test(arguments: ["path BEGINSWITH '../a'", "name CONTAINS '../a'", "path == '/srv/../a'", "path == '.'"])
    func aPathThatNoItemHasGetsNoSuggestion(text: String) throws {
        let hint = try #require(try Predicate(parsing: text, mode: .metadata).hints.first)
        #expect(hint.suggestion == nil, "\(hint)")
    }

    @Test(
        "A comparison that may well hold gets no remark",
        arguments: [
            "", "name LIKE '*.txt'", "name == '*'", "name == 'a%b'", "name LIKE 'a%*'", "comment == 'why?'",
            "name MATCHES 'a*'", "name MATCHES '^ab$'", "name CONTAINS 'c++'", "name CONTAINS 'photo (1)'",
            "name LIKE 'a.*'",
            "name LIKE '*.*'", "name CONTAINS '['", "comment CONTAINS '^a'", "path BEGINSWITH '/srv/.'",
            "fileExtension == 'txt'", "path BEGINSWITH '/srv'", "path LIKE '*/a'",
            "modified > '-7d'", "modified == today", "modified > '2026-02-28'",
            "modified == '2026-02-28T10:00:00.5Z'", "mode == 0644", "mode == 420", "mode == 0o1204", "size == 07",
            "contentType == 'public.jpeg'", "contentTypeTree == 'public.image'", "contentType == 'x/y'",
            "contentType LIKE 'image/*'", "name == 'name'", "'a' IN tags",
        ])
    func isSilent(text: String) throws {
        #expect(try Predicate(parsing: text, mode: .metadata).hints.isEmpty)
    }

    /// The predicate that a hint suggests can be parsed, and has no hint itself.
    @Test func suggestionsArePredicates() throws {
        for text in [
            "name == '*.txt'", "name != '*\\'\\\\?'", "name IN {'a*'}", "tags != 'a*'", "name == 'a/b'",
            "name CONTAINS '/'",
            "path == 'x/'", "path LIKE 'x'", "modified == '2026-02-28'", "modified != '2026-02-28 10:00'",
            "mode IN {644}", "contentType == 'zip'", "contentTypeTree == 'png'", "name LIKE '%'",
            "name == '*' OR size == 1",
        ] {
            for hint in try Predicate(parsing: text, mode: .metadata).hints {
                guard let suggestion = hint.suggestion, suggestion.utf8.contains(UInt8(ascii: " ")) else { continue }
                let meant = try Predicate(parsing: suggestion, mode: .metadata)
                #expect(meant.hints.isEmpty, "\(text): \(suggestion)")
            }
        }
    }

    @Test func aDatabaseTellsUnknownMediaTypes() throws {
        let types = ContentTypeDatabase([
            .init(
                globs: Array("50:image/jpeg:*.jpg\n50:text/csv:*.csv".utf8), subclasses: [],
                aliases: Array("image/jpg image/jpeg".utf8))
        ])
        func remarks(_ text: String) throws -> [String] {
            try Predicate(parsing: text, mode: .metadata, types: types).hints.map(\.description)
        }
        #expect(try remarks("contentType == 'image/jpeg'").isEmpty)
        #expect(try remarks("contentTypeTree == 'text/plain'").isEmpty)
        #expect(
            try remarks("contentType == 'image/jpg'") == [
                "no file has the content type 'image/jpg'; write 'image/jpeg'"
            ])
        #expect(
            try remarks("contentType == 'text/cvs'") == ["no file has the content type 'text/cvs'; write 'text/csv'"])
    }

    @Test func remarksAreBounded() throws {
        let many = Array(repeating: "name == '*.txt'", count: 100).joined(separator: " OR ")
        let hints = try Predicate(parsing: many, mode: .metadata).hints
        #expect(hints.count == 8)
        #expect(hints.map(\.position) == hints.map(\.position).sorted())
        // A long text is left out of the suggestion, not cut in it.
        let long = try Predicate(parsing: "name == '\(String(repeating: "a", count: 10_000))*'", mode: .metadata)
        #expect(long.hints.first?.suggestion == nil)
    }

    @Test func objectsGetNoRemarks() throws {
        #expect(try Predicate(parsing: "name == '*.txt'").hints.isEmpty)
    }

    @Test func theExcerptShowsThePlace() throws {
        let text = "name == '*'  AND size > 1"
        let hint = try #require(try Predicate(parsing: text, mode: .metadata).hints.first)
        #expect(hint.excerpt(of: text) == text + "\n        ^")
    }
}
