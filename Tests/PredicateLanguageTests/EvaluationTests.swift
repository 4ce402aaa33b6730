// Evaluation beyond the conformance cases: items with attributes, errors and their places, arithmetic at its edges.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

@Suite struct EvaluationTests {
    // MARK: Items

    private let item = PlayedItem(
        values: [
            .size: .integer(2048), .kind: .string("file"), .hidden: .boolean(false), .links: .integer(1),
            .tags: .array([.string("work"), .string("urgent")]), .owner: .string("ana"),
            .modified: .date(Timestamp(nanoseconds: 1_769_850_000_000_000_000)), .path: .string("/srv/Item_1.txt"),
        ])

    @Test(
        "Items with attributes",
        arguments: [
            ("name LIKE 'Item_*'", true), ("name LIKE 'item_*'", false), ("name LIKE[c] 'item_?.TXT'", true),
            ("name == 'Item_1.txt' AND kind == 'file'", true), ("name == '*'", true), ("created == '*'", false),
            ("size > 2KB", true), ("size > 2KiB", false), ("size / 1024 == 2", true), ("2KB < size", true),
            ("ANY tags == 'work'", true), ("ALL tags == 'work'", false), ("NONE tags LIKE 'x*'", true),
            ("'work' IN tags", true), ("tags CONTAINS 'wor'", false), ("tags.@count == 2", true),
            ("tags[SIZE] > 2", false), ("tags[0] == 'work'", true), ("tags == {'work', 'urgent'}", true),
            ("modified > '2026-01-31T08:59:59Z'", true), ("modified == '2026-01-31T10:00:00+01:00'", true),
            ("modified < now()", true), ("created < now()", false), ("created != now()", true),
            ("hidden == NO", true), ("hidden == 0", true), ("owner IN {'ben', 'ana'}", true),
            ("owner IN 'banana'", true),
            ("group == nil", true), ("group != 'a'", true), ("group == 'a'", false), ("NOT group LIKE '*'", true),
            ("group MATCHES '.*'", false), ("path ENDSWITH '.txt'", true), ("name.length == 10", true),
            ("SUBQUERY(tags, $t, $t BEGINSWITH 'u').@count == 1", true), ("uppercase(owner) == 'ANA'", true),
            ("path == nil OR name > 'A'", true), ("kind IN {'directory', 'file'}", true),
            ("size BETWEEN {2KB, 3KB}", true), ("links ** 2 == 1", true), ("name IN {'x', 'Item_1.txt'}", true),
            ("name IN[c] {'x', 'ITEM_1.TXT'}", true), ("ANY tags IN[c] {'WORK'}", true),
        ])
    func items(text: String, holds: Bool) throws {
        let predicate = try Predicate(parsing: text, mode: .metadata)
        #expect(try predicate.evaluate(on: item) == holds)
        #expect(try predicate.root.evaluate(on: item) == holds)
    }

    @Test func namesAreBytes() throws {
        let odd = PlayedItem(nameBytes: [0x61, 0xFF, 0x62])
        func holds(_ text: String) throws -> Bool { try Predicate(parsing: text, mode: .metadata).evaluate(on: odd) }
        #expect(try holds("name LIKE 'a?b'"))
        #expect(try holds("name BEGINSWITH 'a' AND name ENDSWITH[c] 'B'"))
        #expect(try !holds("name == 'a\u{FFFD}b'"))
        #expect(try holds("name MATCHES 'a.b'"))
        #expect(try holds("name == '*'"))
    }

    // MARK: Errors

    @Test(
        "An evaluation error says what did not fit, and where",
        arguments: [
            ("bytes > 'abc'", 6, "a number and text have no order"),
            ("a == 1 OR bytes LIKE '2*'", 16, "LIKE compares text, and a number is on one side"),
            ("name CONTAINS 5", 5, "CONTAINS looks for text in text, and a number is on its right"),
            ("bytes CONTAINS '2'", 6, "CONTAINS takes a list, an object or text on its left, and this is a number"),
            ("name IN 5", 5, "IN takes a list, an object or text on its right, and this is a number"),
            ("5 IN name", 2, "IN looks for text in text, and a number is on its left"),
            ("bytes BETWEEN {1}", 6, "BETWEEN takes two bounds, and there are 1"),
            ("bytes BETWEEN 5", 6, "BETWEEN takes a list of two bounds, and this is a number"),
            ("ANY name == 'a'", 9, "ANY takes a list, and this is text"),
            ("tags > 1", 5, "a list and a number have no order"),
            ("bytes / 0 == 1", 0, "division by zero"),
            ("1 == bytes / 0.0", 5, "division by zero"),
            ("modulus:by:(bytes, 0) == 1", 0, "division by zero"),
            ("0 ** -1 == 1", 0, "division by zero"),
            ("bytes + 18446744073709551615 == 1", 0, "the result is too large for a number"),
            ("-9223372036854775808 - 1 == 1", 0, "the result is too large for a number"),
            ("-(18446744073709551615 + 0) == 1", 0, "the result is too large for a number"),
            ("18446744073709551615 * 2 == 1", 0, "the result is too large for a number"),
            ("3 ** 99 == 1", 0, "the result is too large for a number"),
            ("10.0 ** 400 == 1", 0, "the result is too large for a number"),
            ("sqrt(-1) == 1", 0, "sqrt() has no value for a negative number"),
            ("name + 1 == 1", 0, "'+' takes numbers, and this is text"),
            ("name - name == 1", 0, "'-' takes numbers, and this is text"),
            ("tags[2] == 'a'", 0, "there is no such element in a list of 2"),
            ("tags[-1] == 'a'", 0, "there is no such element in a list of 2"),
            ("tags[0.5] == 'a'", 0, "there is no such element in a list of 2"),
            ("tags['a'] == 'a'", 0, "an index is a number, and this is text"),
            ("name[0] == 'a'", 0, "only lists and objects have elements, and this is text"),
            ("name[FIRST] == 'a'", 0, "[FIRST] takes a list, and this is text"),
            ("sum(name) == 1", 0, "sum takes a list, and this is text"),
            ("sum(tags) == 1", 0, "'+' takes numbers, and this is text"),
            ("length(bytes) == 1", 0, "length() takes text, and this is a number"),
            ("bitwiseAnd:with:(1.5, 1) == 1", 0, "bitwiseAnd:with:() takes whole numbers, and this is 1.5"),
            ("CAST(name, 'NSNumber') == 1", 0, "'abc' is not a number"),
            ("CAST(name, 'NSDate') == 1", 0, "'abc' is not a date"),
            ("CAST(tags, 'NSString') == 'a'", 0, "a list cannot be cast to 'NSString'"),
            ("SUBQUERY(name, $x, $x == 1).@count == 1", 0, "SUBQUERY takes a list, and this is text"),
            (
                "name MATCHES '(a+)+[bc]{9}' OR long MATCHES '(a+)+[bc]'", 36,
                "the regular expression takes too much work on this text"
            ),
        ] as [(String, Int, String)])
    func errors(text: String, position: Int, message: String) throws {
        let object = MetadataValue.dictionary([
            "bytes": .integer(20), "name": .string("abc"), "tags": .array([.string("a"), .string("b")]),
            "long": .string(String(repeating: "a", count: 100)),
        ])
        let predicate = try Predicate(parsing: text)
        #expect(throws: EvaluationError(message, at: position)) { try predicate.evaluate(on: object) }
    }

    @Test func aSkippedPartRaisesNothing() throws {
        let empty = MetadataValue.dictionary([:])
        #expect(try Predicate(parsing: "1 == 1 OR 1 < 'a'").evaluate(on: empty))
        #expect(try !Predicate(parsing: "1 == 2 AND 1 < 'a'").evaluate(on: empty))
        #expect(try Predicate(parsing: "ANY {2, 'a'} > 1").evaluate(on: empty))
        #expect(try Predicate(parsing: "TERNARY(1 == 1, 2, 1 / 0) == 2").evaluate(on: empty))
        #expect(throws: EvaluationError.self) { try Predicate(parsing: "ANY {'a', 2} > 1").evaluate(on: empty) }
    }

    // MARK: Values

    @Test(
        "Constant comparisons",
        arguments: [
            ("2 == YES", false), ("1 == YES", true), ("0 == FALSE", true), ("1 == 1.0", true),
            ("9007199254740993 == 9007199254740992.0", false), ("9007199254740993 > 9007199254740992.0", true),
            ("9223372036854775807 < 9223372036854775808", true),
            ("9223372036854775807 == 9223372036854775807.0", false),
            ("18446744073709551614 == 18446744073709551615", false),
            ("18446744073709551614 < 18446744073709551615", true), ("18446744073709551615 > -1", true),
            ("18446744073709551615 == 18446744073709551615.0", false), ("18446744073709551615 < 1e20", true),
            ("18446744073709551616 > 18446744073709551615", true), ("0xFFFFFFFFFFFFFFFF == 18446744073709551615", true),
            ("9223372036854775807 + 1 == 9223372036854775808", true),
            ("-9223372036854775808 / -1 == 9223372036854775808", true),
            ("abs(-9223372036854775808) == 9223372036854775808", true),
            ("18446744073709551615 - 18446744073709551614 == 1", true), ("2 ** 63 == 9223372036854775808", true),
            ("modulus:by:(18446744073709551615, 10) == 5", true),
            ("bitwiseAnd:with:(18446744073709551615, 255) == 255", true),
            ("rightshift:by:(18446744073709551615, 63) == 1", true),
            ("max({1, 18446744073709551615}) == 18446744073709551615", true),
            ("18446744073709551614 IN {1, 18446744073709551614}", true),
            ("CAST('18446744073709551614', 'NSNumber') == 18446744073709551614", true),
            ("CAST(18446744073709551614, 'NSString') == '18446744073709551614'", true),
            ("-9223372036854775808 == -9223372036854775808.0", true), ("-1.5 < -1", true), ("-1 > -1.5", true),
            ("1 < 1.5", true), ("2 > 1.5", true), ("nil <= nil", false), ("nil == nil", true), ("nil != nil", false),
            ("nil IN {nil}", false), ("nil BETWEEN {1, 2}", false), ("1 BETWEEN {nil, 2}", false),
            ("nil LIKE '*'", false),
            ("1 + nil == nil", true), ("7 / 2 == 3", true), ("-7 / 2 == -3", true), ("7 / 2.0 == 3.5", true),
            ("2 ** -1 == 0.5", true), ("2 ** 3 ** 2 == 512", true), ("2 ** 62 == 4611686018427387904", true),
            ("-2 ** 2 == 4", true), ("0 ** 0 == 1", true), ("modulus:by:(-7, 3) == -1", true),
            ("modulus:by:(-9223372036854775808, -1) == 0", true), ("leftshift:by:(1, 200) == 0", true),
            ("leftshift:by:(8, -2) == 2", true), ("onesComplement(0) == -1", true),
            ("bitwiseXor:with:(5, 3) == 6", true),
            ("floor(-1.5) == -2", true), ("trunc(-1.5) == -1", true), ("ceiling(9223372036854775807) > 0", true),
            ("sqrt(16) == 4", true), ("log(1000) > 2.99", true), ("exp(0) == 1", true), ("ln(1) == 0", true),
            ("average({1, 2}) == 1.5", true), ("median({3, 1, 2}) == 2", true), ("median({4, 1, 2, 3}) == 2.5", true),
            ("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", true), ("stddev({}) == nil", true), ("stddev({5}) == 0", true),
            ("mode({1, 2, 2.0, 3, 3}) == {2, 3}", true), ("mode({}) == {}", true),
            ("mode({9007199254740992, 9007199254740993, 9007199254740993}) == {9007199254740993}", true),
            ("max({'a', 'c', 'b'}) == 'c'", true), ("max({}) == nil", true), ("sum({}) == 0", true),
            ("sum({1, nil, 2}) == 3", true), ("count({1, nil}) == 2", true), ("average({}) == nil", true),
            ("add:to:(1, 2) == 3", true), ("from:subtract:(3, 2) == 1", true), ("multiply:by:(3, 2) == 6", true),
            ("divide:by:(7, 2) == 3", true), ("raise:toPower:(2, 3) == 8", true), ("bitwiseOr:with:(4, 1) == 5", true),
            ("rightshift:by:(8, 2) == 2", true), ("noindex('a') == 'a'", true), ("abs(-1.5) == 1.5", true),
            ("CAST('12', 'NSNumber') == 12", true), ("CAST('1.5', 'NSNumber') == 1.5", true),
            ("CAST(12, 'NSString') == '12'", true), ("CAST(YES, 'NSNumber') == 1", true),
            ("CAST(nil, 'NSDate') == nil", true),
            ("CAST(0, 'NSDate') == CAST('2001-01-01T00:00:00Z', 'NSDate')", true),
            ("CAST(CAST('2001-01-01T00:00:10Z', 'NSDate'), 'NSNumber') == 10", true),
            ("CAST(CAST('2001-01-01T00:00:10Z', 'NSDate'), 'NSString') == '2001-01-01T00:00:10.000000000Z'", true),
            ("CAST(1e300, 'NSDate') > now()", true), ("CAST(-1e300, 'NSDate') < now()", true),
            ("CAST(9223372036854775807, 'NSDate') > now()", true),
            ("now() > CAST('2020-01-01T00:00:00Z', 'NSDate')", true),
            ("{1, {2, 'a'}} == {1, {2, 'a'}}", true), ("{'a'} ==[c] {'A'}", true), ("'a' IN[c] {'A'}", true),
            ("'\u{E9}' == 'e\u{301}'", false), ("'\u{E9}' ==[n] 'e\u{301}'", true), ("'\u{E9}' IN {'e\u{301}'}", false),
            ("'b' BETWEEN {'a', 'c'}", true), ("'' LIKE ''", true), ("'' MATCHES ''", true),
            ("'a' BEGINSWITH ''", false),
            ("'\u{1F389}'.length == 2", true), ("length('\u{1F389}') == 2", true),
            ("{'a', 'bcd'}.length == {1, 3}", true),
            ("{}[LAST] == nil", true), ("{1, 2}[LAST] == 2", true), ("{3, 4}[1.0] == 4", true), ("nil[0] == nil", true),
            ("missing.@count == nil", true), ("missing[SIZE] == nil", true), ("ANY missing == 1", false),
            ("ALL missing == 1", true), ("NONE missing == 1", true),
            ("SUBQUERY(missing, $x, $x == 1).@count == 0", true),
            ("SUBQUERY({1, 2}, $x, SUBQUERY({2, 3}, $y, $x == $y).@count > 0)[FIRST] == 2", true),
            ("SUBQUERY({1, 2}, $x, SUBQUERY({5}, $x, $x == 5).@count == 1 AND $x == 2).@count == 1", true),
        ])
    func constants(text: String, holds: Bool) throws {
        #expect(try Predicate(parsing: text).evaluate(on: .dictionary([:])) == holds)
    }
}
