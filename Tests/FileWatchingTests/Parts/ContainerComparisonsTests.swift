// The comparisons of a container, one after another, and the requests that one of them takes in.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import FileWatching

@Suite struct ContainerComparisonsTests {
    private func make(
        _ task: UInt32, _ subject: Comparison.Subject = .everything, isPaced: Bool = false
    ) -> Comparison { Comparison(task: task, of: subject, isPaced: isPaced) }

    @Test func oneFollowsAnotherAndExtendedAttributesComeLast() {
        var comparisons = ContainerComparisons()
        comparisons.begin(make(1), now: 0)
        comparisons.readXattrs(make(3, .xattrs))
        comparisons.follow(make(2))
        #expect(comparisons.has(1) && comparisons.has(2) && comparisons.has(3) && !comparisons.has(4))
        #expect(comparisons.hasMore)
        var order: [UInt32] = []
        while let ended = comparisons.end(now: 0, longestPause: 0) { order.append(ended.task) }
        #expect(order == [1, 2, 3] && !comparisons.hasMore && comparisons.current == nil)
        comparisons.readXattrs(make(4, .xattrs))
        #expect(comparisons.current?.task == 4, "nothing is under way")
    }

    @Test func aCallIsAnsweredByTheLastComparisonOfEverything() {
        var comparisons = ContainerComparisons()
        comparisons.begin(make(1), now: 0)
        let answers = Answers()
        comparisons.complete { _ in answers.tasks.append(1) }
        comparisons.follow(make(2))
        comparisons.complete { _ in answers.tasks.append(2) }
        for expected in [[1], [1, 2]] {
            let ended = comparisons.end(now: 0, longestPause: 0)
            for completion in ended?.completions ?? [] { completion(ComparisonCounts()) }
            #expect(answers.tasks == expected)
        }
    }

    @Test func afterOneForAnOverflowThereIsAPauseForTheNext() {
        var comparisons = ContainerComparisons()
        var paced = make(1, isPaced: true)
        paced.begin(at: 100, round: 1)
        comparisons.begin(paced, now: 100)
        #expect(comparisons.current?.notBefore == nil)
        // It took 30, so the next waits as long.
        _ = comparisons.end(now: 130, longestPause: 1_000)
        comparisons.begin(make(2, isPaced: true), now: 140)
        #expect(comparisons.current?.notBefore == 160)
        comparisons.follow(make(3, isPaced: true))
        _ = comparisons.end(now: 150, longestPause: 1_000)
        #expect(
            comparisons.current?.task == 3 && comparisons.current?.notBefore == 160, "one that never began adds none")
        _ = comparisons.end(now: 170, longestPause: 1_000)
        // Somebody asks for that one.
        comparisons.begin(make(4), now: 155)
        #expect(comparisons.current?.notBefore == nil)
        var long = make(5, isPaced: true)
        long.begin(at: 200, round: 1)
        comparisons.begin(long, now: 200)
        _ = comparisons.end(now: 5_000, longestPause: 1_000)
        comparisons.begin(make(6, isPaced: true), now: 5_000)
        #expect(comparisons.current?.notBefore == 6_000, "the pause has a limit")
    }

    @Test func anOverflowMakesAnyComparisonOneOfEverything() {
        for subject in [Comparison.Subject.someDirectories, .xattrs, .everything, .oldEntries] {
            var comparison = make(1, subject)
            comparison.beginAudit()
            comparison.notBefore = 9
            comparison.widen(isPaced: true) { 5 }
            #expect(comparison.round == 0 && comparison.beginnings.widenings == 0, "it had not begun")
            #expect(comparison.isPaced && comparison.notBefore == 9)
            comparison.begin(at: 1, round: 3)
            comparison.phase = .removals
            comparison.widen(isPaced: false) { 5 }
            #expect(comparison.round == 5 && comparison.beginnings.widenings == 1 && comparison.phase == .listing)
            #expect(comparison.notBefore == nil && comparison.isPaced)
            #expect(!comparison.isInBackground && !comparison.isAudit && comparison.isListingAll)
            #expect(comparison.isVerification == (subject == .oldEntries))
        }
    }

    @Test func itBeginsAgainForLostLookUpsOnlySoOften() {
        var comparison = make(1)
        var allowed: [Bool] = []
        for _ in 0..<3 { allowed.append(comparison.restart(limit: 2)) }
        #expect(allowed == [true, true, false] && comparison.beginnings.restarts == 2)
    }

    @Test func aSliceOfTheAuditGivesItsUnknownFilesOnce() {
        let file = InodeNumber(device: 1, inode: 2)
        var comparison = make(1, .someDirectories)
        comparison.noteUnknown(file)
        let none = comparison.settleAudit(at: 5)
        #expect(none.isEmpty && !comparison.isAudit)
        comparison.beginAudit()
        comparison.noteUnknown(file)
        let (first, second) = (comparison.settleAudit(at: 7), comparison.settleAudit(at: 8))
        #expect(first == [file] && second.isEmpty && comparison.audit?.settled == 8)
    }

    @Test func directoriesAreTakenInOrder() {
        let ids = [DirectoryID(slot: 3, generation: 0), DirectoryID(slot: 1, generation: 0)]
        var queue = DirectoryQueue(ids)
        #expect(queue.count == 2 && queue.first == ids[0])
        queue.removeFirst()
        #expect(queue.count == 1 && queue.first == ids[1])
        queue.removeFirst()
        #expect(queue.count == 0 && queue.first == nil && DirectoryQueue().first == nil)
    }

    /// The answers of completions.
    private final class Answers {
        var tasks: [Int] = []
    }
}
