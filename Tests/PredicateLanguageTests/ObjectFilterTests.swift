// A predicate over lines of JSON.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import Testing

@Suite struct ObjectFilterTests {
    @Test func linesMatchOrNotOrFail() throws {
        let filter = try ObjectFilter(parsing: "size > 10 AND name LIKE[c] '*.pdf'")
        func answer(_ line: String) -> String {
            do throws(ObjectFilter.LineError) { return "\(try filter.matches(line: Array(line.utf8)))" } catch {
                return error.description
            }
        }
        #expect(answer("{\"size\": 11, \"name\": \"A.PDF\"}") == "true")
        #expect(answer("{\"size\": 11, \"name\": \"A.PDF\"}\r\n") == "true")
        #expect(answer("{\"size\": 10, \"name\": \"A.PDF\"}") == "false")
        #expect(answer("{}") == "false")
        #expect(answer("") == "false")
        #expect(answer(" \t\r\n") == "false")
        #expect(answer("{\"size\": \"x\"}") == "text and a number have no order")
        #expect(answer("[1]") == "expected a JSON object (at byte 0)")
        #expect(answer("{\"size\": }") == "expected a JSON value (at byte 9)")
    }

    @Test func aBadPredicateIsRefused() {
        #expect(throws: PredicateError("expected a value after >", at: 6)) { try ObjectFilter(parsing: "size >") }
        #expect(throws: PredicateError.self) { try ObjectFilter(parsing: "") }
    }

    @Test func aMalformedPatternFailsEachLineThatAsksIt() throws {
        let filter = try ObjectFilter(parsing: "size == 1 OR name MATCHES '[a'")
        #expect(try filter.matches(line: Array("{\"size\": 1, \"name\": \"a\"}".utf8)))
        #expect(throws: ObjectFilter.LineError.self) { try filter.matches(line: Array("{\"name\": \"a\"}".utf8)) }
    }
}
