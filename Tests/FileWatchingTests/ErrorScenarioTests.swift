// Directories that cannot be read or reached, and descriptors that run out, played against the watcher without a kernel.
// Scenario.swift says how to read and write them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ErrorScenarioTests {
    private func play(
        _ text: String, _ title: String = #function, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        Scenario().play(text, title, sourceLocation: sourceLocation)
    }

    /// The comparison is the first to read it, so it has to go further down.
    @Test func aComparisonReadsADirectoryForTheFirstTime() {
        play(
            """
            mkdir d
            mkdir d/e
            create d/e/f
            unreadable d
            start
            readable d
            overflow
            settle
            told update d, crawl d/e, crawl d/e/f
            """)
    }

    /// The change of mode is heard before the refusal that it came after.
    @Test func readableAgainWhileTheRefusalIsOnItsWay() {
        play(
            """
            create x
            start
            hold crawl
            mkdir d
            create d/f
            unreadable d
            read
            go crawl
            write x 1
            turn
            readable d
            settle
            state live
            """)
    }

    @Test func aRootThatCannotBeRead() {
        play(
            """
            mkdir d
            create d/f
            unreadable .
            start
            state unavailable
            readable .
            settle
            state live
            told crawl d, crawl d/f
            """)
    }
}
