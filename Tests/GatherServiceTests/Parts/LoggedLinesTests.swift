// A container begins in the log once, and so many unreadable directories are named.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct LoggedLinesTests {
    @Test func theFirstLineIsTheFirst() {
        var logged = LoggedLines()
        #expect(!logged.hasBegun)
        #expect(logged.noteLine() == true)
        #expect(!logged.noteLine() && logged.hasBegun)
    }

    @Test func theLastUnreadableDirectoryThatIsNamedIsTold() {
        var logged = LoggedLines()
        let named = (1...25).map { _ in logged.noteUnreadable() }
        #expect(named == Array(repeating: false, count: 19) + [true] + Array(repeating: nil, count: 5))
        #expect(!logged.hasBegun, "that is another line")
    }
}
