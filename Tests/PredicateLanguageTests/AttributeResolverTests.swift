// Predicates over attributes: their resolved form, and those refused when the query is made.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

@Suite struct AttributeResolverTests {
    @Test(
        "Keys become attributes, literals take their type, and constants change sides",
        arguments: [
            ("", "TRUEPREDICATE"), ("  ", "TRUEPREDICATE"),
            ("name LIKE 'Item_*'", "name LIKE 'Item_*'"),
            ("kMDItemFSName == 'a'", "name == 'a'"), ("NSMetadataItemFSSizeKey > 10KB", "size > 10000"),
            ("size > 1.5KiB", "size > 1536"), ("size >= 1 AND #size < 4MiB", "size >= 1 AND size < 4194304"),
            ("size == 10kb", "size == 10000"), ("size < 8EB", "size < 8000000000000000000"),
            ("10 < size", "size > 10"), ("10 >= size", "size <= 10"), ("'a' == name", "name == 'a'"),
            ("'work' IN tags", "tags CONTAINS 'work'"), ("'ab' IN[c] name", "name CONTAINS[c] 'ab'"),
            ("{'a', 'b'} CONTAINS name", "name IN {'a', 'b'}"), ("'abc' CONTAINS name", "name IN 'abc'"),
            ("'a' LIKE name", "'a' LIKE name"),
            ("ANY tags == 'work'", "ANY tags == 'work'"), ("SOME tags LIKE[c] 'w*'", "ANY tags LIKE[c] 'w*'"),
            ("name == '*'", "name != NULL"), ("(kMDItemUserTags = '*')", "tags != NULL"),
            ("size == '*'", "size != NULL"), ("name == '*' AND size > 1", "name == '*' AND size > 1"),
            ("name ==[c] '*'", "name ==[c] '*'"), ("name == 'a*'", "name == 'a*'"),
            ("modified > '2026-01-31T09:00:00+01:00'", "modified > CAST('2026-01-31T08:00:00.000000000Z', 'NSDate')"),
            ("'2026-01-31T08:00:00Z' < modified", "modified > CAST('2026-01-31T08:00:00.000000000Z', 'NSDate')"),
            (
                "modified > CAST('2026-01-31T08:00:00Z', 'NSDate')",
                "modified > CAST('2026-01-31T08:00:00.000000000Z', 'NSDate')"
            ),
            (
                "modified > $time.iso('2026-01-31T08:00:00Z')",
                "modified > CAST('2026-01-31T08:00:00.000000000Z', 'NSDate')"
            ),
            (
                "created BETWEEN {'2026-01-31T08:00:00Z', now()}",
                "created BETWEEN {CAST('2026-01-31T08:00:00.000000000Z', 'NSDate'), now()}"
            ),
            ("modified > now()", "modified > now()"), ("modified >= $time.now(-3600)", "modified >= $time.now(-3600)"),
            ("modified >= $time.now", "modified >= now()"), ("modified == $time.today()", "modified == $time.today(0)"),
            ("modified >= $time.yesterday", "modified >= $time.today(-1)"),
            ("modified < $time.this_week(+1)", "modified < $time.this_week(1)"),
            ("xattr.mime_type == 'a/b'", "xattr.mime_type == 'a/b'"), ("xattr['a-b'] = 'x'", "xattr['a-b'] == 'x'"),
            ("xattr['com.apple.x'] == '*'", "xattr.com.apple.x != NULL"), ("xattr.a == '*'", "xattr.a != NULL"),
            (
                "xattr['9'] LIKE 'a*' OR xattr['a b\\''] == xattr.b",
                "xattr['9'] LIKE 'a*' OR xattr['a b\\''] == xattr.b"
            ),
            ("xattr.#size.#in == 'x'", "xattr.size.#in == 'x'"), ("'x' == xattr.a", "xattr.a == 'x'"),
            ("xattr['a..b'].length > 3", "xattr['a..b'].length > 3"), ("SELF.xattr.a == 'x'", "xattr.a == 'x'"),
            ("kMDItemStarRating > 3 AND target == 'a'", "rating > 3 AND target == 'a'"),
            ("NSMetadataItemCommentKey CONTAINS 'x'", "comment CONTAINS 'x'"),
            ("created == nil", "created == NULL"), ("hidden == YES", "hidden == TRUE"), ("hidden == 1", "hidden == 1"),
            ("kind IN {'file', 'symlink'}", "kind IN {'file', 'symlink'}"), ("kind ==[c] 'FILE'", "kind ==[c] 'FILE'"),
            ("kind LIKE 'f*'", "kind LIKE 'f*'"), ("scope == 'documents'", "scope == 'documents'"),
            ("tags.@count > 2", "tags.@count > 2"), ("name.length > 200", "name.length > 200"),
            ("size / 1024 BETWEEN {1, 2}", "size / 1024 BETWEEN {1, 2}"),
            (
                "SUBQUERY(tags, $t, $t BEGINSWITH 'w').@count == 2",
                "SUBQUERY(tags, $t, $t BEGINSWITH 'w').@count == 2"
            ),
            ("links > 1 AND mode == 0o644", "links > 1 AND mode == 420"),
            ("tags == 'a'", "ANY tags == 'a'"), ("'a' == tags", "ANY tags == 'a'"),
            ("kMDItemUserTags = \"a\"", "ANY tags == 'a'"), ("tags != 'a'", "NONE tags == 'a'"),
            ("NOT tags LIKE[c] 'a*'", "NOT ANY tags LIKE[c] 'a*'"), ("tags IN {'a', 'b'}", "ANY tags IN {'a', 'b'}"),
            ("tags > 'a' AND tags BEGINSWITH 'b'", "ANY tags > 'a' AND ANY tags BEGINSWITH 'b'"),
            ("'a' < tags", "ANY tags > 'a'"), ("tags BETWEEN {'a', 'c'}", "ANY tags BETWEEN {'a', 'c'}"),
            ("tags == nil", "tags == NULL"), ("tags.length > 3", "ANY tags.length > 3"),
            ("contentTypeTree == 'image/png'", "ANY contentTypeTree == 'image/png'"),
            ("contentType == 'public.jpeg'", "contentType UTI-EQUALS 'public.jpeg'"),
            ("kMDItemContentType ==[c] \"com.adobe.PDF\"", "contentType UTI-EQUALS 'com.adobe.PDF'"),
            ("contentType != 'public.jpeg'", "NOT contentType UTI-EQUALS 'public.jpeg'"),
            ("contentType = 'public.image'", "contentType UTI-CONFORMS-TO 'public.image'"),
            ("contentType LIKE 'public.png'", "contentType UTI-EQUALS 'public.png'"),
            ("'public.png' == contentType", "contentType UTI-EQUALS 'public.png'"),
            (
                "contentType IN {'public.png', 'image/gif', 'public.text'}",
                "contentType UTI-EQUALS 'public.png' OR contentType UTI-CONFORMS-TO 'public.text' OR contentType IN {'image/gif'}"
            ),
            ("contentTypeTree == 'public.jpeg'", "contentType UTI-CONFORMS-TO 'public.jpeg'"),
            ("ANY kMDItemContentTypeTree == \"public.image\"", "contentType UTI-CONFORMS-TO 'public.image'"),
            ("contentTypeTree != 'public.image'", "NOT contentType UTI-CONFORMS-TO 'public.image'"),
            ("NONE contentTypeTree IN {'public.image'}", "NOT contentType UTI-CONFORMS-TO 'public.image'"),
            ("contentTypeTree CONTAINS 'public.image'", "contentType UTI-CONFORMS-TO 'public.image'"),
            ("'public.image' IN contentTypeTree", "contentType UTI-CONFORMS-TO 'public.image'"),
            (
                "contentTypeTree IN {'public.image', 'text/plain'}",
                "contentType UTI-CONFORMS-TO 'public.image' OR ANY contentTypeTree IN {'text/plain'}"
            ),
            ("contentTypeTree UTI-CONFORMS-TO 'public.image'", "ANY contentTypeTree UTI-CONFORMS-TO 'public.image'"),
            ("mode == 0644", "mode == 420"), ("mode IN {0644, (0755)}", "mode IN {420, 493}"),
            ("bitwiseAnd:with:(mode, 0111) != 0", "bitwiseAnd:with:(mode, 73) != 0"), ("0600 == mode", "mode == 384"),
            ("size == 0100 AND mode == 0o644", "size == 100 AND mode == 420"), ("mode == 644", "mode == 644"),
            ("size > 10M AND size < 10Mi", "size > 10000000 AND size < 10485760"),
            ("size > 1k AND size > 2ki", "size > 1000 AND size > 2048"),
            ("size > 1e3 AND size > 1E", "size > 1000.0 AND size > 1000000000000000000"),
            ("modified > '-7d'", "modified > $time.now(-604800)"),
            ("modified > yesterday", "modified > $time.today(-1)"),
            ("modified > '2h30min ago'", "modified > $time.now(-9000)"),
            ("'-1 week' < modified", "modified > $time.now(-604800)"),
            ("modified == 'today'", "modified == $time.today(0)"), ("today > created", "created < $time.today(0)"),
            ("created BETWEEN {yesterday, 'now'}", "created BETWEEN {$time.today(-1), now()}"),
            ("modified > '-1M' AND modified > '-1m'", "modified > $time.now(-2629800) AND modified > $time.now(-60)"),
            (
                "modified > '2026-01-31 09:00:00 +0000'",
                "modified > CAST('2026-01-31T09:00:00.000000000Z', 'NSDate')"
            ),
            (
                "modified > '2026-01-31 09:00:00.25 +01:00'",
                "modified > CAST('2026-01-31T08:00:00.250000000Z', 'NSDate')"
            ),
            ("tags == {'a', 'b'}", "tags == {'a', 'b'}"), ("tags[0] == 'a'", "tags[0] == 'a'"),
            ("lowercase(name) == name", "lowercase(name) == name"),
            ("TERNARY(hidden == YES, 1, 2) == 1", "TERNARY(hidden == TRUE, 1, 2) == 1"),
        ] as [(String, String)])
    func resolved(text: String, canonical: String) throws {
        let predicate = try Predicate(parsing: text, mode: .metadata)
        #expect(predicate.canonical == canonical)
        let again = try Predicate(parsing: canonical, mode: .metadata)
        #expect(again.root == predicate.root)
    }

    @Test(
        "Comparisons that cannot be true of an attribute are refused, with their place",
        arguments: [
            ("nmae == 'a'", 0, "unknown attribute 'nmae'; did you mean 'name'?"),
            ("Name == 'a'", 0, "unknown attribute 'Name'; did you mean 'name'?"),
            ("name == a.txt", 8, "unknown attribute 'a'; text stands in quotes: 'a.txt'"),
            ("size > 1 AND filename == 'a'", 13, "unknown attribute 'filename'; did you mean 'name'?"),
            ("mtime > now()", 0, "unknown attribute 'mtime'; did you mean 'modified'?"),
            ("kMDItemFSNam == 'a'", 0, "unknown attribute 'kMDItemFSNam'; did you mean 'kMDItemFSName'?"),
            ("zzzzzz == 'a'", 0, "unknown attribute 'zzzzzz'"),
            ("name == Item", 8, "unknown attribute 'Item'; text stands in quotes: 'Item'"),
            ("size > 10 KB", 10, "a unit stands directly after its number, as in 10KB"),
            ("foo.bar == 'a'", 0, "unknown attribute 'foo'"),
            ("xattr == 'a'", 0, "name the extended attribute: xattr.mime_type"),
            ("xattr[''] == 'a'", 0, "1 to 250 bytes"),
            ("ANY xattr.a == 'a'", 4, "'xattr.a' is text"),
            ("xattr.a > 5", 10, "'xattr.a' is text, and this is a number"),
            ("rating == 'good'", 10, "'rating' is a number, and this is text"),
            ("comment > 3", 10, "'comment' is text"),
            ("size == 'big'", 8, "'size' is a number, and this is text"),
            ("size > 'big'", 7, "'size' is a number, and this is text"),
            ("name == 5", 8, "'name' is text, and this is a number"),
            ("name == 10KB", 8, "'name' is text, and this is a number"),
            ("5 == name", 0, "'name' is text, and this is a number"),
            ("name == size", 8, "'name' is text, and 'size' is a number"),
            ("size LIKE '1*'", 5, "LIKE compares text, and 'size' is a number"),
            ("name LIKE 5", 10, "LIKE compares text, and this is a number"),
            ("modified BEGINSWITH '2026'", 9, "BEGINSWITH compares text, and 'modified' is a date"),
            ("modified CONTAINS '2026'", 9, "CONTAINS compares text, and 'modified' is a date"),
            (
                "modified > '2026-02-30'", 11,
                "'2026-02-30' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '7d'", 11,
                "'7d' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '-7x'", 11,
                "'-7x' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '-'", 11,
                "'-' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '2026-01-31T25:00:00'", 11,
                "'2026-01-31T25:00:00' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '2026-01-31 09:00:00 +0100 x'", 11,
                "'2026-01-31 09:00:00 +0100 x' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            (
                "modified > '-99999999999999999999d'", 11,
                "'-99999999999999999999d' is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'"
            ),
            ("modified > 5", 11, "'modified' is a date, and this is a number"),
            ("modified IN {$time.today}", 13, "a unit of time is not a member of a list; write == or >="),
            ("modified > $time.toady", 17, "unknown time 'toady'; did you mean 'today'?"),
            ("modified > $time.now(99999999999999999)", 17, "this time is too far away"),
            ("modified > $time.now(1.5)", 21, "a whole number and ')'"),
            ("ANY tags IN {'a', 5}", 18, "each of 'tags' is text, and this is a number"),
            ("tags == 5", 8, "each of 'tags' is text, and this is a number"),
            ("tags IN {'a', 5}", 14, "each of 'tags' is text, and this is a number"),
            ("name == tags", 5, "a list is compared by IN or BETWEEN"),
            (
                "mode == 0888", 8,
                "next to mode a number with a leading 0 is octal, and 0888 is not; write one such as 0644"
            ),
            ("name == today", 8, "unknown attribute 'today'; text stands in quotes: 'today'"),
            ("hidden", 6, "expected an operator such as == or LIKE after 'hidden'; write hidden == TRUE"),
            (
                "!hidden AND size > 1", 8,
                "expected an operator after 'hidden', found 'AND'; write hidden == FALSE without NOT"
            ),
            ("name", 4, "expected an operator such as == or LIKE after 'name'"),
            (
                "kMDItemFSName == \"*.txt\"wc", 24,
                "options stand after the operator; write kMDItemFSName LIKE[c] '*.txt'"
            ),
            ("size > 10 M", 10, "a unit stands directly after its number, as in 10M"),
            ("size > 10Q", 7, "'10Q' is neither a number nor a key"),
            ("ANY name == 'a'", 4, "ANY takes a list, and 'name' is text"),
            ("ANY tags == 5", 12, "each of 'tags' is text, and this is a number"),
            ("tags CONTAINS 5", 14, "each of 'tags' is text, and this is a number"),
            ("name IN {'a', 5}", 14, "'name' is text, and this is a number"),
            ("size IN 5", 8, "IN takes a list, as in {'a', 'b'}, or text to look in; this is a number"),
            ("size BETWEEN {1}", 13, "BETWEEN takes two bounds, as in {1, 10}, and has 1"),
            ("size BETWEEN 5", 13, "BETWEEN takes two bounds, as in {1, 10}"),
            ("size == {1, 2}", 5, "a list is compared by IN or BETWEEN"),
            ("kind == 'folder'", 8, "there is no kind 'folder'; did you mean 'directory'?"),
            ("kind IN {'file', 'dirctory'}", 17, "there is no kind 'dirctory'; did you mean 'directory'?"),
            ("kind == 'File'", 8, "there is no kind 'File'; did you mean 'file'?"),
            ("scope == 'x'", 9, "there is no scope 'x'; there are documents, data"),
            (
                "name MATCHES '[a'", 13,
                "not a regular expression: missing terminating ] for character class at its byte 2"
            ),
            ("SELF == nil", 0, "SELF has no value here; name an attribute"),
            ("-name == 1", 1, "'-' takes a number, and 'name' is text"),
            ("size + name > 1", 7, "'+' takes a number, and 'name' is text"),
            ("name.foo == 1", 0, "'name' is text, and has no 'foo'"),
            ("size.length == 1", 0, "'size' is a number, and has no 'length'"),
            ("sum(tags) == 1", 4, "sum() takes numbers, and these are text"),
            ("abs(name) == 1", 4, "abs() takes a number, and 'name' is text"),
            ("SUBQUERY(name, $x, $x == 'a').@count == 1", 9, "SUBQUERY takes a list, and 'name' is text"),
            ("SUBQUERY(tags, $x, $x == 1).@count == 1", 25, "the value is text, and this is a number"),
            ("name UTI-EQUALS 'a'", 5, "UTI-EQUALS compares content types, and 'name' is none"),
        ] as [(String, Int, String)])
    func refused(text: String, position: Int, message: String) {
        do throws(PredicateError) {
            let predicate = try Predicate(parsing: text, mode: .metadata)
            Issue.record("taken as \(predicate)")
        } catch {
            #expect(error.position == position, "\(error)")
            #expect(error.message.contains(message), "\(error)")
        }
    }

    @Test func everyAttributeAndAliasIsAKey() throws {
        for attribute in Attribute.fixed {
            for name in [attribute.name] + attribute.aliases {
                let predicate = try Predicate(parsing: "\(name) != nil AND NOT #\(name) == nil", mode: .metadata)
                #expect(predicate.attributes == [attribute])
            }
        }
    }

    @Test func aPlanNamesTheAttributesItReads() throws {
        let predicate = try Predicate(
            parsing: "name LIKE 'a*' AND (size > 1 OR SUBQUERY(tags, $t, $t == owner).@count > 0) AND 'x' == '*'",
            mode: .metadata)
        #expect(predicate.attributes == [.name, .size, .tags, .owner])
        guard case .and(let terms) = predicate.root.kind, case .comparison(let comparison) = terms[0].kind else {
            Issue.record("not a conjunction")
            return
        }
        #expect(comparison.left.attribute == .name)
        #expect(comparison.pattern == (try TextPattern(.like, "a*")))
        #expect(!predicate.followsClock)
    }
}
