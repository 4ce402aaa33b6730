// Containers whose own directory may not be read: their entries come back when it was read, and not before.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct InaccessibleContainerTests {
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/d", "/c/d/e", "/o"] { fixture.kernel.create(name, .directory) }
        for name in ["/c/f", "/c/g", "/c/d/f", "/c/d/g", "/c/d/e/f"] { fixture.kernel.create(name) }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.expectEqual("/c")
        return fixture
    }

    private func isUnavailable(_ fixture: PlayedFixture) -> Bool {
        if case .unavailable = fixture.watcher.state(of: 1) { true } else { false }
    }

    /// Iterates until nothing is to be done, and holds each iteration to what the daemon relies on: entries that are back and not
    /// verified yet are those of a container that is being verified, so that they are not published.
    private func restUnpublished(_ fixture: PlayedFixture) {
        var idle = 0
        while idle < 4 {
            idle = fixture.watcher.iterate() ? 0 : idle + 1
            if isUnavailable(fixture) { #expect(fixture.tree.contents(of: 1).isEmpty) }
        }
    }

    private func setInaccessible(_ path: String, _ isInaccessible: Bool, _ isSearched: Bool, _ fixture: PlayedFixture) {
        if isSearched {
            fixture.kernel.setUnreadable(path, isInaccessible)
        } else {
            fixture.kernel.setUnsearchable(path, isInaccessible)
        }
    }

    /// Each event in it would bring back all entries only to take them out again.
    @Test(arguments: [true, false]) func eventsInAnInaccessibleContainerBringNothingBack(isSearched: Bool) {
        let fixture = fixture()
        let identities = ["g", "d/e/f"].map { fixture.tree.identity(at: $0) }
        setInaccessible("/c", true, isSearched, fixture)
        fixture.rest()
        #expect(isUnavailable(fixture) && fixture.tree.contents(of: 1).isEmpty)
        fixture.tree.log = []
        for number in 0..<20 {
            fixture.kernel.create("/c/new\(number)")
            restUnpublished(fixture)
            fixture.kernel.remove("/c/new\(number)")
            restUnpublished(fixture)
        }
        fixture.watcher.rescan(1) { _ in }
        restUnpublished(fixture)
        fixture.wait(seconds: 100)
        #expect(!fixture.tree.log.contains("unpark") && !fixture.tree.log.contains("park"))
        #expect(isUnavailable(fixture))
        setInaccessible("/c", false, isSearched, fixture)
        restUnpublished(fixture)
        #expect(fixture.tree.log.filter { $0 == "unpark" }.count == 1)
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.expectEqual("/c")
        #expect(["g", "d/e/f"].map { fixture.tree.identity(at: $0) } == identities)
        // It is watched, as are the directories below.
        for name in ["/c/later", "/c/d/e/later"] { fixture.kernel.create(name) }
        fixture.rest()
        fixture.expectEqual("/c")
    }

    /// An entry that left while the container was closed is never back for users who may read it afterwards.
    @Test(arguments: [true, false]) func entriesThatLeftAnInaccessibleContainerAreNotPublished(isSearched: Bool) {
        let fixture = fixture()
        setInaccessible("/c", true, isSearched, fixture)
        fixture.rest()
        fixture.kernel.move("/c/f", "/o/f")
        fixture.kernel.remove("/c/d/g")
        fixture.kernel.create("/c/d/new")
        restUnpublished(fixture)
        setInaccessible("/c", false, isSearched, fixture)
        restUnpublished(fixture)
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.expectEqual("/c")
        #expect(fixture.tree.node(at: "f") == nil)
    }

    /// The same below the root: an entry comes back when its directory was read and the entry was found there.
    @Test(arguments: [true, false]) func entriesThatLeftAnInaccessibleDirectoryAreNotBack(isSearched: Bool) {
        let fixture = fixture()
        setInaccessible("/c/d", true, isSearched, fixture)
        fixture.rest()
        fixture.tree.log = []
        fixture.kernel.move("/c/d/f", "/o/f")
        for number in 0..<20 { fixture.kernel.create("/c/d/new\(number)") }
        fixture.rest()
        fixture.kernel.remove("/c/d/e/f")
        fixture.rest()
        #expect(!fixture.tree.log.contains { $0.contains("d/") })
        setInaccessible("/c/d", false, isSearched, fixture)
        fixture.rest()
        fixture.expectEqual("/c")
        #expect(!fixture.tree.log.contains("crawl d/f") && !fixture.tree.log.contains("insert d/f"))
        #expect(!fixture.tree.log.contains("crawl d/e/f") && !fixture.tree.log.contains("insert d/e/f"))
    }

    /// A container that was away and comes back closed brings nothing back either.
    @Test(arguments: [true, false]) func aContainerThatComesBackInaccessibleStaysEmpty(isSearched: Bool) {
        let fixture = fixture()
        let identity = fixture.tree.identity(at: "d/e/f")
        fixture.kernel.move("/c", "/away")
        fixture.rest()
        #expect(isUnavailable(fixture))
        setInaccessible("/away", true, isSearched, fixture)
        fixture.tree.log = []
        fixture.kernel.move("/away", "/c")
        restUnpublished(fixture)
        #expect(isUnavailable(fixture))
        #expect(!fixture.tree.log.contains("unpark"))
        setInaccessible("/c", false, isSearched, fixture)
        restUnpublished(fixture)
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.expectEqual("/c")
        #expect(fixture.tree.identity(at: "d/e/f") == identity)
    }

    /// More entries than one loop iteration takes.
    @Test func aLargeContainerComesBack() {
        let fixture = PlayedFixture { $0.directorySlice = 10 }
        fixture.kernel.create("/c", .directory)
        for number in 0..<35 { fixture.kernel.create("/c/f\(number)") }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        let identity = fixture.tree.identity(at: "f7")
        fixture.kernel.setUnreadable("/c", true)
        fixture.rest()
        fixture.kernel.remove("/c/f8")
        fixture.kernel.setUnreadable("/c", false)
        restUnpublished(fixture)
        fixture.expectEqual("/c")
        #expect(fixture.tree.contents(of: 1).count == 34)
        #expect(fixture.tree.identity(at: "f7") == identity)
    }
}
