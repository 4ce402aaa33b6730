// A saved index is the same again, whichever threads put it together.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization
import Testing

@testable import MetadataIndex

@Suite struct IndexAssemblyTests {
    /// Several blocks and several parts of the table of names, so that every thread has some of either. Under the thread
    /// sanitizer this is the test of what the threads of a start share.
    @Test(arguments: [(2, 51), (4, 52)] as [(Int, UInt64)])
    func savedIndexIsAssembledByThreads(threads: Int, seed: UInt64) throws {
        var pair = Pair(seed: seed)
        try pair.fill(8_600)
        for _ in 0..<60 { _ = try pair.step() }
        _ = pair.index.takeChanges()
        let saved = pair.index.saved()
        let inOrder = try Saved.index(saved)

        let restored = try SnapshotReader(saved).restorer(concurrently: onThreads(threads))
            .finish(concurrently: onThreads(threads))
        #expect(restored.saved() == inOrder.saved(), "seed \(seed)")
        #expect(digest(of: restored.snapshot()) == digest(of: inOrder.snapshot()), "seed \(seed)")
        // Against the model: the children, the tables of names and of inodes, the free slots. And then it goes on.
        var one = Pair(pair, index: restored)
        var other = Pair(pair, index: inOrder)
        try #require(one.failure() == nil, "seed \(seed)")
        for number in 0..<30 {
            let (what, failure) = try one.step()
            try #require(failure == nil, "seed \(seed), step \(number), \(what)")
            _ = try other.step()
        }
        #expect(digest(of: restored.snapshot()) == digest(of: inOrder.snapshot()), "seed \(seed)")
    }
}

/// Threads of which each does every so many-th piece of work, so that neighbours are never one's alone, however few processors
/// there are and whichever piece takes longest.
private func onThreads(_ threads: Int) -> Concurrently {
    { count, body in
        let begun = Atomic<Int>(0)
        Threads.perform(threads, others: threads - 1) { _ in
            let first = begun.wrappingAdd(1, ordering: .relaxed).oldValue
            // A thread that went on before the others are there would be given their work too.
            while begun.load(ordering: .relaxed) < threads { sched_yield() }
            for number in stride(from: first, to: count, by: threads) { body(number) }
        }
    }
}
