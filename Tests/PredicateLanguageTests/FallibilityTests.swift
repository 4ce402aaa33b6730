// Which parts of a predicate can fail.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

@Suite struct FallibilityTests {
    @Test(
        arguments: [
            ("name == 'a' AND size > 1 OR NOT hidden == TRUE", Fallibility.never),
            ("created < modified AND owner == group AND name LIKE target", .never),
            ("length(name) > 3 AND tags.@count == 2 AND tags[FIRST] == 'a' AND name.length > 3", .never),
            ("ANY tags LIKE 'a*' AND 'a' IN tags AND size BETWEEN {1, 2} AND name IN {'a', nil}", .never),
            ("bitwiseAnd:with:(mode, 0111) != 0 AND contentType == 'public.image'", .never),
            ("TERNARY(hidden == TRUE, 'a', name) == 'a' AND modified > '-7d' AND {} == tags", .never),
            ("name MATCHES 'a+' AND size > 1", .limit), ("NOT ANY tags MATCHES 'a+'", .limit),
            ("name MATCHES target", .error), ("100 / size > 1", .error), ("size + 1 > 1", .error),
            ("-size < 1", .error),
            ("tags[0] == 'a'", .error), ("CAST(name, 'NSNumber') > 1", .error), ("sqrt(size - 1) > 1", .error),
            ("bitwiseAnd:with:(mode, 1.5) != 0", .error), ("SUBQUERY(tags, $t, $t == 'a').@count > 0", .error),
            ("TERNARY(hidden == TRUE, 1, 'a') > 1", .error), ("size BETWEEN {1, TERNARY(hidden == 1, 'a', 2)}", .error),
            ("name MATCHES 'a+' OR 1 / size > 1", .error),
        ] as [(String, Fallibility)])
    func fallibility(text: String, expected: Fallibility) throws {
        #expect(try Predicate(parsing: text, mode: .metadata).root.fallibility == expected)
    }
}
