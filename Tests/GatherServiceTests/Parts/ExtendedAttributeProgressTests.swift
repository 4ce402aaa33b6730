// Extended attributes are read once, and known from then on.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct ExtendedAttributeProgressTests {
    @Test func theyAreReadOnce() {
        var xattrs = ExtendedAttributeProgress(isFilled: false)
        #expect(xattrs.isOff && !xattrs.isFilled)
        #expect(xattrs.begin() == true)
        #expect(!xattrs.begin() && !xattrs.isOff && !xattrs.isFilled)
        xattrs.noteFilled(at: 5)
        #expect(!xattrs.begin() && xattrs.isFilled)
    }

    @Test func clocksFromBeforeAreOfNoUse() {
        var xattrs = ExtendedAttributeProgress(isFilled: false)
        xattrs.noteStart(at: 3)
        #expect(!xattrs.wereFilled(at: 3), "they are not read")
        _ = xattrs.begin()
        #expect(!xattrs.wereFilled(at: .max))
        xattrs.noteFilled(at: 5)
        #expect([4, 5, 6].map { xattrs.wereFilled(at: $0) } == [false, true, true])
    }

    @Test func thoseThatWereSavedAreKnownFromTheStart() {
        var xattrs = ExtendedAttributeProgress(isFilled: true)
        xattrs.noteStart(at: 8)
        #expect(xattrs.begin() == false)
        #expect([7, 8].map { xattrs.wereFilled(at: $0) } == [false, true])
    }
}
