// How an error shows its place.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import Testing

@Suite struct PredicateErrorTests {
    @Test func theCaretStandsUnderThePlace() {
        #expect(PredicateError("x", at: 5).excerpt(of: "name ~ 'a'") == "name ~ 'a'\n     ^")
        #expect(PredicateError("x", at: 0).excerpt(of: "") == "\n^")
        #expect(PredicateError("x", at: 9).excerpt(of: "name LIKE") == "name LIKE\n         ^")
        // Bytes, shown as characters; the line that matters; a tab as one blank.
        #expect(PredicateError("x", at: 7).excerpt(of: "a == '\u{E9}' ~") == "a == '\u{E9}' ~\n       ^")
        #expect(PredicateError("x", at: 9).excerpt(of: "a == 1\n\tb ~ 2\nc") == " b ~ 2\n  ^")
        #expect(PredicateError("x", at: 999).excerpt(of: "ab") == "ab\n  ^")
        #expect(PredicateError("x", at: -1).excerpt(of: "ab") == "ab\n^")
    }
}
