// Extended attributes are read once, and known from then on.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct ExtrasProgressTests {
    @Test func theyAreReadOnce() {
        var extras = ExtrasProgress(isFilled: false)
        #expect(extras.isOff && !extras.isFilled)
        #expect(extras.begin() == true)
        #expect(!extras.begin() && !extras.isOff && !extras.isFilled)
        extras.noteFilled(at: 5)
        #expect(!extras.begin() && extras.isFilled)
    }

    @Test func clocksFromBeforeAreOfNoUse() {
        var extras = ExtrasProgress(isFilled: false)
        extras.noteStart(at: 3)
        #expect(!extras.wereFilled(at: 3), "they are not read")
        _ = extras.begin()
        #expect(!extras.wereFilled(at: .max))
        extras.noteFilled(at: 5)
        #expect([4, 5, 6].map { extras.wereFilled(at: $0) } == [false, true, true])
    }

    @Test func thoseThatWereSavedAreKnownFromTheStart() {
        var extras = ExtrasProgress(isFilled: true)
        extras.noteStart(at: 8)
        #expect(extras.begin() == false)
        #expect([7, 8].map { extras.wereFilled(at: $0) } == [false, true])
    }
}
