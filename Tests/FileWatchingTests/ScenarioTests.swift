// Sequences of kernel events that matter, played against the watcher without a kernel. Scenario.swift says how to read
// and write them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ScenarioTests {
    private func play(
        _ text: String, _ title: String = #function, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        Scenario().play(text, title, sourceLocation: sourceLocation)
    }

    @Test func renameInOneRead() {
        play(
            """
            create a
            start
            name a A
            mv a b
            read
            expect move a -> b
            same b A
            reached
            """)
    }

    @Test func renameSplitAcrossReads() {
        play(
            """
            mkdir d
            create a
            start
            name a A
            mv a d/b
            read 1
            expect
            read
            expect move a -> d/b, update d
            same d/b A
            """)
    }

    @Test func otherEventsBetweenTheHalves() {
        play(
            """
            create a
            create x
            start
            name a A
            mv a b
            write x 5
            swap 1 2
            read 2
            expect update x
            read
            expect move a -> b
            same b A
            """)
    }

    @Test func movedFromAlone() {
        play(
            """
            create a
            start
            mv a outside/a
            read
            expect
            wait 1
            expect
            wait 1
            expect remove a
            reached
            """)
    }

    @Test func movedToAlone() {
        play(
            """
            create outside/a
            start
            mv outside/a b
            read
            expect insert b
            reached
            """)
    }

    /// The second half comes after the first was taken for a removal.
    @Test func movedToLate() {
        play(
            """
            create a
            start
            mv a b
            read 1
            wait 3
            expect remove a
            read
            expect insert b
            """)
    }

    @Test func theNameIsTakenAgainWhileTheFirstHalfWaits() {
        play(
            """
            create a
            start
            name a A
            mv a b
            create a
            swap 1 2
            read 2
            expect
            read
            expect move a -> b, insert a
            same b A
            """)
    }

    @Test func targetExisting() {
        play(
            """
            create a
            create b
            write a 7
            start
            name b B
            mv a b
            read
            expect replace b with a
            same b B
            """)
    }

    @Test func saveByRenameInOneRead() {
        play(
            """
            create doc
            start
            name doc D
            create doc.tmp
            write doc.tmp 9
            mv doc.tmp doc
            read
            expect update doc
            same doc D
            """)
    }

    @Test func directoryOntoEmptyDirectory() {
        play(
            """
            mkdir d
            create d/f
            mkdir e
            start
            name e E
            name d/f F
            mv d e
            read
            settle
            expect replace e with d
            same e E
            same e/f F
            write e/f 3
            settle
            expect update e/f
            """)
    }

    /// What the target held was removed in the same read.
    @Test func directoryOntoDirectoryJustEmptied() {
        play(
            """
            mkdir d
            create d/f
            mkdir e
            create e/old
            start
            name d/f F
            rm e/old
            mv d e
            settle
            same e/f F
            """)
    }

    @Test func exchangeInOneRead() {
        play(
            """
            mkdir d
            create d/x
            mkdir e
            create e/y
            start
            name d D
            name e/y Y
            exchange d e
            read
            settle
            expect exchange d e
            same e D
            same d/y Y
            write d/y 4
            settle
            expect update d/y
            """)
    }

    @Test func exchangeSplitAcrossReads() {
        for split in 1...4 {
            play(
                """
                create a
                create b
                write a 1
                write b 2
                start
                name a A
                name b B
                exchange a b
                read \(split)
                read
                settle
                same a B
                same b A
                """, "split after \(split)")
        }
    }

    @Test func exchangeThenOneIsRemoved() {
        play(
            """
            mkdir d
            create d/x
            create b
            start
            exchange d b
            rm d
            settle
            """)
    }

    @Test func chainOfRenames() {
        play(
            """
            create a
            create b
            start
            name a A
            name b B
            mv b c
            mv a b
            mv c a
            read
            expect move b -> c, move a -> b, move c -> a
            same a B
            same b A
            """)
    }

    @Test func directoryMovesThenAChangeBelow() {
        play(
            """
            mkdir d
            create d/f
            start
            mv d e
            write e/f 5
            swap 0 3
            swap 1 3
            swap 2 3
            read 1
            expect
            settle
            expect move d -> e, update e/f
            """)
    }

    /// `mv a x; mv b a`, then an event for what was in a: its look-up must not read b's file.
    @Test func aLookUpIsNotMadeInTheWrongDirectory() {
        play(
            """
            mkdir a
            create a/f
            mkdir b
            create b/f
            write b/f 100
            start
            name a/f F
            write a/f 1
            mv a x
            mv b a
            read 1
            expect
            settle
            same x/f F
            expect move a -> x, move b -> a, update x/f
            """)
    }

    @Test func overflowBetweenTheHalves() {
        play(
            """
            create a
            start
            name a A
            mv a b
            overflow 1
            read
            settle
            same b A
            expect move a -> b
            """)
    }

    @Test func overflowLosesAMove() {
        play(
            """
            mkdir d
            create d/f
            mkdir e
            create x
            start
            name d/f F
            name d D
            name x X
            mv d e/d2
            mv x e/y
            create new
            overflow
            settle
            same e/d2 D
            same e/d2/f F
            same e/y X
            """)
    }

    /// A directory and a file moved into a directory that is new, all of it lost.
    @Test func overflowLosesAMoveIntoANewDirectory() {
        play(
            """
            create x
            mkdir d
            create d/f
            start
            name x X
            name d/f F
            mkdir new
            mv x new/x
            mv d new/d
            overflow
            settle
            same new/x X
            same new/d/f F
            """)
    }

    @Test func overflowWithoutADifference() {
        play(
            """
            mkdir d
            create d/f
            start
            overflow
            settle
            expect
            """)
    }

    @Test func overflowDuringAComparison() {
        play(
            """
            mkdir d
            create d/f
            mkdir e
            start
            hold crawl
            create a
            overflow
            read
            create d/g
            mv d/f e/f
            overflow
            read
            settle
            told update d, update e, insert a, move d/f -> e/f, insert d/g
            state live
            """)
    }

    /// The comparison began after the barrier was made, and ends what was under way before.
    @Test func aBarrierWaitsForARemovalThatAComparisonHolds() {
        play(
            """
            create a
            start
            mv a outside/a
            barrier
            read
            hold crawl
            overflow
            read
            wait 3
            expect
            waits
            settle
            expect remove a
            """)
    }

    /// The new place of the file cannot be looked at before a move that is still in the queue is heard of.
    @Test func aComparisonWaitsForItsLookUps() {
        play(
            """
            create a
            create x
            mkdir d
            mkdir e
            start
            name a A
            mv a d/b
            overflow
            read
            write x 1
            turn
            mv d e/d
            read 1
            turn
            turn
            settle
            same e/d/b A
            """)
    }

    /// A nested rename that would make the tree a ring for a moment, if the moves were taken as they are found.
    @Test func overflowTurnsADirectoryInsideOut() {
        play(
            """
            mkdir k
            mkdir k/d
            create k/d/f
            start
            name k/d/f F
            mv k/d d
            mv k d/k
            overflow
            settle
            same d/f F
            """)
    }

    @Test func ignoredForAGoneWatch() {
        play(
            """
            mkdir d
            create d/f
            start
            rm d/f
            rm d
            settle
            expect remove d
            mkdir d
            create d/g
            settle
            expect insert d, crawl d/g
            """)
    }

    @Test func unlinkAndCreateInOneRead() {
        play(
            """
            create a
            start
            rm a
            create a
            write a 3
            read
            expect update a
            """)
    }

    @Test func anInodeHandedOutAgain() {
        play(
            """
            create a
            create b
            start
            name a A
            rm a
            create c 4
            settle
            expect remove a, insert c
            """)
    }

    /// The directory's inode comes back as another directory, before the end of the first was heard.
    @Test func aDirectoryInodeHandedOutAgain() {
        play(
            """
            mkdir d
            create d/f
            start
            name d D
            rm d/f
            rm d
            mkdir e 4
            create e/g
            settle
            """)
    }

    /// The directory is known, and a crawl comes by it in another place.
    @Test func aWatchReturnedForAKnownDirectory() {
        play(
            """
            mkdir d
            create d/f
            start
            name d D
            name d/f F
            hold crawl
            mkdir new
            read
            mv d new/d
            go crawl
            turn
            turn
            settle
            same new/d D
            same new/d/f F
            """)
    }

    /// A file moved into a directory that is being read keeps its identity.
    @Test func moveIntoADirectoryThatIsBeingRead() {
        play(
            """
            create f
            start
            name f F
            hold crawl
            mkdir new
            read
            mv f new/f
            read
            wait 5
            settle
            same new/f F
            told insert new, update new, move f -> new/f
            """)
    }

    @Test func namesTouchedWhileADirectoryIsRead() {
        play(
            """
            start
            hold crawl
            mkdir d
            create d/a
            create d/b
            read
            go crawl
            turn
            rm d/a
            write d/b 9
            create d/c
            settle
            """)
    }

    /// More names than are kept for a watch that is not known yet.
    @Test func manyNamesTouchedWhileADirectoryIsRead() {
        let steps = (0..<1_500).map { "write d/old\($0) 3\nrm d/gone\($0)\ncreate d/new\($0)" }
        let before = (0..<1_500).map { "create d/old\($0)\ncreate d/gone\($0)" }
        play(
            """
            create x
            start
            hold crawl
            mkdir d
            \(before.joined(separator: "\n"))
            read
            go crawl
            write x 1
            turn
            \(steps.joined(separator: "\n"))
            settle
            state live
            """)
    }

    @Test func hardLinks() {
        play(
            """
            create a
            mkdir d
            start
            link a d/b
            settle
            told insert d/b, update a, update d
            write d/b 4
            settle
            expect update d/b, update a
            rm a
            settle
            expect remove a, update d/b
            create x
            link d/b c
            settle
            mv x c
            settle
            """)
    }

    /// A third name, which no container knows, so that the search for names has one more search follow.
    @Test func linksOutsideAreLookedForInOneGo() {
        play(
            """
            create a
            start
            link a outside/b
            link outside/b c
            settle now
            expect insert c, update a
            """)
    }

    @Test func aMountPointIsNotEntered() {
        play(
            """
            mkdir d
            create d/f
            start
            mount d
            rescan
            settle
            expect remove d/f
            unmount d
            rescan
            settle
            expect crawl d/f
            """)
    }

    @Test func unreadableUntilItsModeChanges() {
        play(
            """
            mkdir d
            create d/f
            unreadable d
            start
            readable d
            settle
            expect update d, crawl d/f
            """)
    }

    @Test func whereWatchesRunOut() {
        play(
            """
            mkdir d
            mkdir e
            watches 3
            start
            state degraded
            create d/f
            create e/f
            watches 100
            wait 31000
            settle
            state live
            """)
    }
}
