// Predicates that are refused, with the words and the place; the grouping of those that are accepted.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import Testing

@Suite struct ParserTests {
    @Test(
        "An error says what is wrong, and at which byte",
        arguments: [
            ("", 0, "the predicate is empty; TRUEPREDICATE matches everything"),
            ("name LIKE", 9, "expected a value after LIKE"),
            ("name like ", 10, "expected a value after like"),
            ("name ==", 7, "expected a value after =="),
            ("== 1", 0, "expected a value before or after an operator, found '=='"),
            ("TRUE", 4, "expected an operator such as == or LIKE after 'TRUE' (TRUEPREDICATE is always true)"),
            ("name 'a'", 5, "expected an operator after 'name', found text"),
            ("name ILIKE 'a'", 5, "unknown operator 'ILIKE'; write LIKE[c]"),
            ("name IS NOT NULL", 5, "unknown operator 'IS'; write == nil or != nil"),
            ("a == 1 XOR b == 2", 7, "expected AND, OR or the end, found 'XOR'"),
            ("name NOT LIKE 'a'", 5, "NOT stands before the comparison, as in NOT name LIKE 'a*'"),
            ("name ~= 'a'", 5, "unknown operator '~='; did you mean '!='?"),
            ("name === 'a'", 5, "unknown operator '==='; did you mean '=='?"),
            ("a == 1 | b == 2", 7, "unknown operator '|'; did you mean '||'?"),
            ("a == 1 & b == 2", 7, "unknown operator '&'; did you mean '&&'?"),
            ("bytes < = 5", 8, "expected a value before or after an operator, found '='"),
            ("bytes == 1 == 1", 11, "comparisons do not chain; join two with AND"),
            ("TRUEPREDICATE == 1", 14, "TRUEPREDICATE and FALSEPREDICATE are compared with nothing"),
            ("1 == (a == 1)", 5, "expected a value, and this is a comparison or a predicate"),
            ("name == 'a", 8, "the text that begins here has no closing '"),
            ("name == \"a", 8, "the text that begins here has no closing \""),
            ("name == 'a\\'", 8, "the text that begins here has no closing '"),
            ("name == 'a\\", 8, "the text that begins here has no closing '"),
            ("name == 'a\\q'", 10, "'\\q' is no escape; a backslash itself is written '\\\\'"),
            ("name == '\\x4'", 9, "\\x takes two hexadecimal digits, as in \\x41"),
            ("name == '\\u004'", 9, "\\u takes four hexadecimal digits, as in \\u00e9"),
            ("name == '\\ud83d'", 9, "half of a surrogate pair is no character"),
            ("name == '\\12'", 9, "a backslash and digits are three octal digits, as in \\101"),
            ("name == 'a' 'b'", 12, "two texts in a row; expected an operator between them"),
            ("(name == 'a'", 12, "expected ')' for the '(' at byte 0, found the end"),
            ("name == 'a')", 11, "there is no '(' for this ')'"),
            ("name == 'a'cd", 11, "options stand after the operator; write name ==[cd] 'a'"),
            ("name == 'a' cd", 12, "options stand after the operator, as in ==[cd]"),
            ("name == \"*.txt\"wc", 15, "options stand after the operator; write name LIKE[c] '*.txt'"),
            ("name == 'Paris'w", 15, "options stand after the operator; write name LIKE '*Paris*'"),
            ("name != 'pa*'cdw", 13, "options stand after the operator; write NOT name LIKE[cd] '*pa*'"),
            ("InRange(size, 1, 9)", 0, "there is no InRange(); write size BETWEEN {1, 9}"),
            ("InRange(size)", 0, "there is no InRange(); write size BETWEEN {1, 9}"),
            ("name ~ 'x'", 5, "unknown operator '~'; write CONTAINS 'x' or MATCHES '.*x.*'"),
            ("name =~ '[ab]'", 5, "unknown operator '=~'; write MATCHES '.*[ab].*'"),
            ("name !~ 'x'", 5, "unknown operator '!~'; write NOT in front and CONTAINS 'x' or MATCHES '.*x.*'"),
            ("name ~ x", 5, "unknown operator '~'; did you mean LIKE or MATCHES?"),
            ("a > 7d", 4, "a span of time stands in quotes: '-7d' is 7d ago"),
            ("starred", 7, "expected an operator such as == or LIKE after 'starred'; write starred == TRUE"),
            (
                "!starred AND a == 1", 9,
                "expected an operator after 'starred', found 'AND'; write starred == FALSE without NOT"
            ),
            (
                "a > .now(-60)", 4,
                "a shell has replaced $time here; put the predicate in single quotes, or write \\$time"
            ),
            ("name ==[x] 'a'", 8, "unknown option 'x'; there are c, d, n and l"),
            ("name ==[cx] 'a'", 9, "unknown option 'x'; there are c, d, n and l"),
            ("name ==[] 'a'", 8, "expected options such as [c] or [cd]"),
            ("name ==[c 'a'", 10, "expected ']' after the options, found text"),
            ("bytes BETWEEN[c] {1, 2}", 13, "BETWEEN takes no options"),
            ("name IN ('a', 'b')", 8, "a list is written with braces: {'a', 'b'}"),
            (
                "name IN 'a', 'b'", 11,
                "expected AND, OR or the end, found ','; a list is written with braces: {'a', 'b'}"
            ),
            ("name IN ['a']", 9, "expected options such as [c] or [cd]; a list is written with braces: {'a', 'b'}"),
            ("name IN {'a'", 12, "expected ',' or '}' for the '{' at byte 8, found the end"),
            ("name LIKE *.pdf", 10, "expected a value, found '*'; a pattern stands in quotes: LIKE 'a*'"),
            ("name == ?", 8, "'?' is a wildcard only inside quotes, as in LIKE 'a?'"),
            ("name == %d", 8, "'%' stands for an argument, and there are none; write the value itself"),
            ("name == \u{201C}a\u{201D}", 8, "'\u{201C}' is no quotation mark here; write 'text' or \"text\""),
            ("\u{E9}t == 1", 0, "'\u{E9}' cannot be part of a key; keys are letters a to z, digits and '_'"),
            ("na\u{EF}ve == 1", 2, "'\u{EF}' cannot be part of a key; keys are letters a to z, digits and '_'"),
            ("name == 'a' // c", 12, "there are no comments in a predicate"),
            ("$ == 1", 0, "expected a name after '$'; write $x"),
            ("$x == 1", 0, "the variable $x has no value here"),
            ("@count == 1", 0, "expected a value, found '@count'"),
            ("a.@cuont == 1", 2, "unknown operator '@cuont'; did you mean '@count'?"),
            ("in == 'x'", 0, "expected a value, found 'in'; a key of that name is written #in"),
            ("a.in == 'x'", 2, "'in' is a reserved word; a key of that name is written #in"),
            ("a. == 'x'", 3, "expected a key after '.', found '=='"),
            (".a == 'x'", 0, "a key path cannot begin with '.'"),
            ("name ENDSWITH .txt", 14, "a key path cannot begin with '.'; text stands in quotes: '.txt'"),
            ("tags[] == 'a'", 5, "expected a number, FIRST, LAST, SIZE or a key between '[' and ']'"),
            ("tags[0 == 'a'", 7, "expected ']' for the '[' at byte 4, found '=='"),
            ("ANY tags", 8, "expected an operator such as == or LIKE after 'tags'; write tags == TRUE"),
            ("a == ANY tags", 5, "expected a value, found 'ANY'; a key of that name is written #ANY"),
            ("1abc == 2", 0, "'1abc' is neither a number nor a key"),
            ("a == 1.2.3", 5, "'1.2.3' is neither a number nor a key"),
            ("a == 1_000", 5, "'1_000' is neither a number nor a key"),
            ("a == 1e999", 5, "this number is too large"),
            ("a == 10KB", 5, "a size with a unit is understood next to a numeric attribute only"),
            ("nosuch(1) == 1", 0, "unknown function 'nosuch'"),
            ("lenght(a) == 1", 0, "unknown function 'lenght'; did you mean 'length'?"),
            ("abs(1, 2) == 1", 0, "abs() takes one argument, and has 2"),
            ("random(a) == 1", 0, "random() is not supported: an answer that changes by chance cannot be kept"),
            ("FUNCTION(a, 'b') == 1", 0, "FUNCTION is not supported"),
            ("a UTI-CONFORMS-TO[c] 'b'", 17, "UTI-CONFORMS-TO takes no options"),
            ("CAST(a, 'NSData') == 1", 8, "unknown type 'NSData'; there are 'NSNumber', 'NSString' and 'NSDate'"),
            ("NOT", 3, "expected a value after 'NOT'"),
            ("a == 1 AND", 10, "expected a value after 'AND'"),
            ("Item_*", 6, "expected a value after '*'; a pattern stands in quotes: LIKE 'a*'"),
            ("AND a == 1", 0, "expected a value, found 'AND'; a key of that name is written #AND"),
        ] as [(String, Int, String)])
    func errors(text: String, position: Int, message: String) {
        #expect(throws: PredicateError(message, at: position)) { try Predicate(parsing: text) }
    }

    @Test(
        "The canonical text shows how a predicate groups",
        arguments: [
            ("a=1", "a == 1"), ("a<>1", "a != 1"), ("a=<1", "a <= 1"), ("a=>1", "a >= 1"), ("a>-1", "a > -1"),
            ("a = 1 or b = 2 and c = 3", "a == 1 OR b == 2 AND c == 3"),
            ("(a = 1 or b = 2) and c = 3", "(a == 1 OR b == 2) AND c == 3"),
            ("a = 1 || (b = 2 && c = 3)", "a == 1 OR b == 2 AND c == 3"),
            ("a = 1 AND (b = 2 AND c = 3)", "a == 1 AND (b == 2 AND c == 3)"),
            ("!a = 1 and b = 2", "NOT a == 1 AND b == 2"),
            ("not (a = 1 and b = 2)", "NOT (a == 1 AND b == 2)"),
            ("((((a))) = ((1)))", "a == 1"),
            ("(a + 1) * 2 = 3", "(a + 1) * 2 == 3"), ("a + 1 * 2 = 3", "a + 1 * 2 == 3"),
            ("a - (b - c) = 1", "a - (b - c) == 1"), ("(a - b) - c = 1", "a - b - c == 1"),
            ("2 ** 3 ** 2 = 1", "2 ** 3 ** 2 == 1"), ("(2 ** 3) ** 2 = 1", "(2 ** 3) ** 2 == 1"),
            ("-2 ** 2 = 4", "-2 ** 2 == 4"), ("-(a) = - b", "-a == -b"), ("-(a + b) = 1", "-(a + b) == 1"),
            ("-9223372036854775808 = a", "-9223372036854775808 == a"),
            ("9223372036854775808 = a", "9223372036854775808 == a"),
            ("-18446744073709551615 = a", "-1.8446744073709552e+19 == a"),
            ("a = 0x1F", "a == 31"), ("a = 1e3", "a == 1000.0"), ("a = - -3", "a == 3"),
            ("some a LIKE[dc] 'x'", "ANY a LIKE[cd] 'x'"), ("a ==[ l ] 'x'", "a ==[l] 'x'"),
            ("self.size > 1", "size > 1"), ("SELF.#in > 1", "#in > 1"), ("size > 1", "size > 1"),
            ("#size > 1", "size > 1"), ("a[first] = a[LAST]", "a[FIRST] == a[LAST]"),
            ("a[#first] = a[size + 1]", "a[#first] == a[size + 1]"),
            ("a.@max.#self = 1", "a.@max.#self == 1"), ("a['k'].b = 1", "a['k'].b == 1"),
            ("a = 'it\\'s\\n\\x01'", "a == 'it\\'s\\n\\x01'"), ("a = \"say 'hi'\"", "a == 'say \\'hi\\''"),
            ("a = '\\ud83c\\udf89\\101'", "a == '\u{1F389}A'"),
            ("subquery(a, $x, $x.b = 1 or c = 2).@count > 0", "SUBQUERY(a, $x, $x.b == 1 OR c == 2).@count > 0"),
            ("ternary(a = 1, 'x', {1, {}}) = nil", "TERNARY(a == 1, 'x', {1, {}}) == NULL"),
            ("cast(a, 'NSNumber') = modulus:by:(7, 3)", "CAST(a, 'NSNumber') == modulus:by:(7, 3)"),
            (
                "cast('2026-01-31T09:00:00+01:00', 'NSDate') < now()",
                "CAST('2026-01-31T08:00:00.000000000Z', 'NSDate') < now()"
            ),
            ("ternary(a in b, 1, 2) = 1", "TERNARY(a IN b, 1, 2) == 1"),
            ("(a.@max.b).@count = 1", "(a.@max.b).@count == 1"), ("(a.@max.b)[0] = 1", "a.@max.b[0] == 1"),
            ("truepredicate and falsepredicate", "TRUEPREDICATE AND FALSEPREDICATE"),
        ])
    func canonical(text: String, canonical: String) throws {
        let predicate = try Predicate(parsing: text)
        #expect(predicate.canonical == canonical)
        let again = try Predicate(parsing: canonical)
        #expect(again.root == predicate.root)
        #expect(again.canonical == canonical)
    }

    @Test func positionsAreThoseOfTheText() throws {
        guard case .and(let terms) = try Predicate(parsing: "a == 1 AND  ANY b.c IN {2, 3}").root.kind,
            case .comparison(let comparison) = terms[1].kind, case .array(let elements) = comparison.right.kind
        else {
            Issue.record("parsed as something else")
            return
        }
        #expect(terms[0].position.offset == 0)
        #expect(terms[1].position.offset == 12)
        #expect(comparison.left.position.offset == 16)
        #expect(comparison.operatorPosition.offset == 20)
        #expect(comparison.right.position.offset == 23)
        #expect(elements.map(\.position.offset) == [24, 27])
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: PredicateError("the predicate is not UTF-8 here", at: 6)) {
            try Predicate(parsing: Array("a == '".utf8) + [0xFF, 0x27])
        }
    }
}
