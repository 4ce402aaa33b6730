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

    /// Its watches go on telling, but nothing below it can be looked at.
    @Test func whatLiesBelowCannotBeReached() {
        play(
            """
            mkdir d
            mkdir d/e
            mkdir d/e/k
            create d/e/f
            mkdir d/m
            create d/m/f
            start
            unsearchable d
            write d/m/f 5
            write d/e/f 5
            create d/e/g
            create d/e/k/h
            rest
            state live
            told update d
            searchable d
            settle
            state live
            told update d, update d/m/f, update d/e, update d/e/k, update d/e/f, insert d/e/g, insert d/e/k/h
            """)
    }

    /// The refused look-up is younger than the reading that is on its way.
    @Test func notReachedWhileAReadingIsOnItsWay() {
        play(
            """
            create x
            mkdir d
            mkdir d/e
            create d/e/f
            start
            rescan
            turn
            turn
            write x 1
            turn
            write d/e/f 5
            unsearchable d
            rest
            searchable d
            settle
            state live
            """)
    }

    @Test func noDescriptorToReadANewDirectory() {
        play(
            """
            create x
            start
            write x 1
            settle
            descriptors 0
            mkdir n
            create n/f
            rest
            state degraded
            descriptors 100
            wait 31000
            rest
            settle
            state live
            """)
    }

    @Test func noDescriptorToLookUp() {
        play(
            """
            mkdir d
            create d/f
            mkdir e
            start
            descriptors 0
            write d/f 5
            mv d/f e/g
            rest
            state degraded
            descriptors 100
            wait 31000
            rest
            settle
            state live
            """)
    }

    @Test func noDescriptorToReadTheRoot() {
        play(
            """
            create f
            mkdir d
            create d/g
            descriptors 1
            start
            state degraded
            descriptors 100
            wait 31000
            rest
            settle
            state live
            """)
    }

    /// It waits, rather than trying for ever.
    @Test func noDescriptorToCompare() {
        play(
            """
            mkdir d
            create d/f
            start
            descriptors 0
            write d/f 5
            overflow
            rest
            descriptors 100
            rest
            wait 31000
            rest
            settle
            told update d/f
            state live
            """)
    }
}
