// Questions about one container do not wait for another that is being crawled, whatever hard links there are.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Testing

@Suite struct HardLinkBarrierTests {
    /// Container 1 is live; of container 2, in whose root lies a file with another name outside, there is much to be read.
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture(containers: [1, 2]) { $0.crawledEntriesPerIteration = 1 }
        fixture.kernel.create("/a", .directory)
        fixture.kernel.create("/a/file")
        fixture.kernel.create("/b", .directory)
        fixture.kernel.create("/b/linked")
        fixture.kernel.link("/b/linked", "/elsewhere")
        for index in 0..<40 {
            fixture.kernel.create("/b/d\(index)", .directory)
            fixture.kernel.create("/b/d\(index)/f")
        }
        fixture.watcher.addContainer(1, path: "/a")
        fixture.rest()
        fixture.watcher.addContainer(2, path: "/b")
        for _ in 0..<20 where fixture.tree.node(at: "linked", in: 2) == nil { _ = fixture.watcher.iterate() }
        #expect(fixture.tree.node(at: "linked", in: 2) != nil)
        #expect(fixture.watcher.figures(of: 2).outstanding > 20)
        return fixture
    }

    @Test func aCrawlThatComesByOne() {
        let fixture = fixture()
        let barrier = fixture.watcher.barrier()
        _ = fixture.watcher.iterate()
        #expect(fixture.watcher.figures(of: 2).outstanding > 10)
        #expect(fixture.watcher.isReached(barrier, in: [1]), "\(fixture.watcher.unfinished)")
        #expect(!fixture.watcher.isReached(barrier, in: [2]))
        fixture.rest()
        #expect(fixture.watcher.isReached(barrier))
    }

    @Test(arguments: [false, true]) func oneThatIsMadeElsewhere(inNewDirectory: Bool) {
        let fixture = fixture()
        if inNewDirectory { fixture.kernel.create("/a/new", .directory) }
        fixture.kernel.link("/a/file", inNewDirectory ? "/a/new/name" : "/a/name")
        let barrier = fixture.watcher.barrier()
        for _ in 0..<8 where !fixture.watcher.isReached(barrier, in: [1]) { _ = fixture.watcher.iterate() }
        if !inNewDirectory {
            #expect(fixture.watcher.isReached(barrier, in: [1]), "\(fixture.watcher.unfinished)")
            #expect(fixture.watcher.figures(of: 2).outstanding > 10)
            fixture.expectEqual("/a")
        }
        for _ in 0..<10_000 where !fixture.watcher.isReached(barrier, in: [1]) { _ = fixture.watcher.iterate() }
        fixture.expectEqual("/a")
        fixture.rest()
        fixture.expectEqual("/a")
        fixture.expectEqual("/b", container: 2)
    }
}
