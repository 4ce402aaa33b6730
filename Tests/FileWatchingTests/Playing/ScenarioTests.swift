// Sequences of kernel events that matter, played against the watcher without a kernel: those of Scenarios, and some that
// are made of parts.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import TestSupport
import Testing

/// A scenario in a file of its own.
struct ScenarioFile: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var testDescription: String { name }

    /// Those in `Scenarios`, by name.
    static let all: [ScenarioFile] = {
        let directory = "Tests/FileWatchingTests/Scenarios"
        return SourceTree.files(below: directory).filter { $0.hasSuffix(".scenario") }.map { path in
            // A file that cannot be read has no steps, and its test says so.
            ScenarioFile(
                name: String(path.dropFirst(directory.count + 1)), text: (try? SourceTree.text(path)) ?? "")
        }
    }()
}

@Suite struct ScenarioTests {
    @Test func thereAreScenarios() { #expect(ScenarioFile.all.count > 60) }

    @Test func scenariosLieInTheFoldersOfTheirSubjects() throws {
        let readme = try SourceTree.text("Tests/FileWatchingTests/Scenarios/README.md")
        let folders = Dictionary(grouping: ScenarioFile.all) { $0.name.prefix { $0 != "/" } }
        for (folder, files) in folders {
            #expect(readme.contains("\n| `\(folder)` |"), "the README has no folder \(folder)")
            #expect(files.count <= 40, "\(folder)")
        }
    }

    @Test(arguments: ScenarioFile.all) func play(file: ScenarioFile) throws {
        Scenario().play(try ScenarioScript(file.text, name: file.name))
    }

    /// Expectations on the way hold if the watcher has its time. The end must be the same if it has not.
    @Test(arguments: ScenarioFile.all) func playInNoTime(file: ScenarioFile) throws {
        let player = Scenario { settings in
            settings.iterationBudget = 0
            settings.crawledEntriesPerIteration = 1
            settings.directorySlice = 1
            settings.comparisonSlice = 1
            settings.comparisonWindow = 1
        }
        let script = try ScenarioScript(file.text, name: file.name)
        var last: ScenarioScript.Verb?
        for step in script.steps {
            // The tree's entries when it has settled are the same too.
            if !step.verb.isCheck || (step.verb == .tree && last == .settle) { player.play(step, of: script.name) }
            last = step.verb
        }
        player.end(script.name)
    }

    @Test(arguments: 1...4) func exchangeSplitAcrossReads(split: Int) {
        Scenario().play(
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
            """, "split after \(split)", sourceLocation: #_sourceLocation)
    }

    /// More names than are kept for a watch that is not known yet.
    @Test func manyNamesTouchedWhileADirectoryIsRead() {
        let steps = (0..<1_500).map { "write d/old\($0) 3\nrm d/gone\($0)\ncreate d/new\($0)" }
        let before = (0..<1_500).map { "create d/old\($0)\ncreate d/gone\($0)" }
        Scenario().play(
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
            """, "many names", sourceLocation: #_sourceLocation)
    }

    /// It has one watch: an event of that while the directory has been read in its new place, and is known only in the old
    /// one, is lost with that.
    @Test func aDirectoryOfAnotherContainerIsReadBeforeItsEvent() {
        Scenario { $0.iterationBudget = 0 }.play(
            """
            mkdir /other
            mkdir /other/d
            create f
            container 2 /other
            start
            mkdir z
            rm z
            \((0..<200).map { "create a\($0)" }.joined(separator: "\n"))
            mv /other/d z
            read
            write f 1
            turn
            create z/x
            read
            settle
            """, "many look-ups", sourceLocation: #_sourceLocation)
    }

    /// The target of a rename may be found by a look-up that waits, or by the reading of a directory that this finds.
    @Test func aPendingRenameWaitsForLookUpsThatWait() {
        Scenario { $0.iterationBudget = 0 }.play(
            """
            create f
            start
            name f F
            \((0..<200).map { "create a\($0)" }.joined(separator: "\n"))
            mkdir d
            mv f d/f
            read
            wait 3
            settle
            same d/f F
            """, "many look-ups", sourceLocation: #_sourceLocation)
    }

    /// An entry that a comparison did not find may have moved: that is queued, and heard before the end.
    @Test func aComparisonHearsWhatBecameOfWhatItMisses() {
        Scenario(isDriven: true).play(
            """
            create d
            create e
            start
            name e E
            tag e 1
            overflow 0
            write d 13
            read 1
            mv e a
            read 1
            settle
            same a E
            """, "news of removals", sourceLocation: #_sourceLocation)
    }

    /// Extended attributes are read of what is known to be right: a directory that is not where it was has been told of, and is the same.
    @Test func anEntryThatAFillMissesIsNotAnother() {
        Scenario(isDriven: true).play(
            """
            mkdir a
            create a/d
            create b
            start
            mkdir e
            settle
            name e E
            name b B
            tag a/d 880
            create e/a
            fill
            read 1
            mv b e/b
            mv e b
            mv b d
            read 3
            settle
            same d E
            same d/b B
            """, "what a fill misses", sourceLocation: #_sourceLocation)
    }

    /// Random changes, read in random portions: at each rest the tree equals the played file system. A failure prints
    /// its scenario.
    @Test(arguments: RandomScenario.seeds) func random(seed: UInt64) { RandomScenario(seed: seed).play() }

    /// The same where the watcher has the iterations that it asks for, and no others: an awaited event wakes it, and until then it
    /// asks for none.
    @Test(arguments: RandomScenario.seeds) func driven(seed: UInt64) {
        RandomScenario(seed: seed, isDriven: true).play()
    }

    /// The same where much is done before any of it is heard.
    @Test(arguments: RandomScenario.seeds) func late(seed: UInt64) { RandomScenario(seed: seed, isLate: true).play() }

    /// A run of the model checker that failed, heard in other portions.
    @Test(.enabled(if: TraceScenario.text != nil)) func trace() { TraceScenario.text.map { TraceScenario($0).play() } }
}
