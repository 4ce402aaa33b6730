// Calls above a container that end by a time-out: they must not change what is known.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct SlowAncestorTests {
    /// A container at `/link`, a symlink to `/closed/c`.
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture()
        for name in ["/closed", "/closed/c", "/d"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/closed/c/f")
        fixture.kernel.symlink("/link", to: "/closed/c")
        return fixture
    }

    private func fail(_ fixture: PlayedFixture, _ errors: [String: SystemError]) {
        fixture.kernel.state.withLock { $0.statusErrors = errors }
    }

    /// Without the directories above its target, users who may not enter `/closed` would get items.
    @Test(arguments: [false, true]) func aSymlinkThatCannotBeReadIsNoDirectory(isKnown: Bool) throws {
        let fixture = fixture()
        if isKnown {
            fixture.watcher.addContainer(1, path: "/link")
            fixture.rest()
        }
        let before = fixture.watcher.directoriesAbove(1)
        #expect((before?.count ?? 0) == (isKnown ? 3 : 0))
        fail(fixture, ["link": .timedOut])
        if isKnown {
            _ = fixture.watcher.takeAncestorAccessChanges()
            fixture.kernel.create("/closed/x")
            fixture.watcher.setEnclosure(1, to: Enclosure(directories: ["/d"], reason: "inside"))
            fixture.watcher.setEnclosure(1, to: nil)
        } else {
            fixture.watcher.addContainer(1, path: "/link")
        }
        fixture.rest()
        #expect(fixture.watcher.directoriesAbove(1) == before)
        #expect(fixture.watcher.takeAncestorAccessChanges().isEmpty)
        // The delay of the poll ends.
        fail(fixture, [:])
        fixture.wait(seconds: 3_600)
        #expect(fixture.watcher.directoriesAbove(1)?.count == 3)
    }

    @Test func aSilentMountInAContainerKeepsTheItemsOfAnother() throws {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/m", "/c/m/d"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/m/d/f")
        fixture.watcher.addContainer(1, path: "/c/m/d")
        fixture.rest()
        let number = try #require(fixture.tree.node(at: "f"))
        // No directory can be opened for the look at the enclosure, after the container's own was.
        fixture.kernel.state.withLock { $0.openErrors = ["/c/m": .timedOut] }
        fixture.watcher.setEnclosure(1, to: Enclosure(directories: ["/c/m"], reason: "inside"))
        fixture.rest()
        #expect(fixture.tree.node(at: "f") == number)
        #expect(fixture.watcher.state(of: 1) == .live)
        fixture.kernel.state.withLock { $0.openErrors = [:] }
        fixture.wait(seconds: 3_600)
        #expect(fixture.watcher.state(of: 1) == .unavailable(reason: "inside"))
    }
}
