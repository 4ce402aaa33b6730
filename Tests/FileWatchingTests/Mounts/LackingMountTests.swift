// Mounts that come and go while there is no descriptor to look: nothing tells of them again.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

@Suite struct LackingMountTests {
    private func fixture() -> PlayedFixture {
        let fixture = PlayedFixture()
        for name in ["/c", "/c/a", "/c/a/b"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.create("/c/a/f")
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 5)
        return fixture
    }

    private func changeMounts(_ fixture: PlayedFixture, isMounted: Bool, _ lack: (inout PlayedKernel.State) -> Void) {
        fixture.kernel.setMountRoot("/c/a", isMounted)
        fixture.kernel.state.withLock { lack(&$0) }
        fixture.watcher.mountsChanged()
        fixture.kernel.state.withLock { ($0.descriptorLimit, $0.mountsError) = (.max, nil) }
        fixture.wait(seconds: 10)
    }

    @Test(arguments: [true, false]) func `A mount is noticed later for which there was no descriptor`(isTable: Bool) {
        let fixture = fixture()
        for isMounted in [true, false] {
            changeMounts(fixture, isMounted: isMounted) {
                if isTable { $0.mountsError = .tooManyDescriptors } else { $0.descriptorLimit = 0 }
            }
            #expect((fixture.tree.node(at: "a/f") == nil) == isMounted)
            fixture.expectEqual("/c", isMounted ? "mounted" : "unmounted")
            #expect(fixture.watcher.state(of: 1) == .live)
            #expect(fixture.watcher.nextDeadline == nil)
        }
    }

    @Test func `A file system mounted where a container begins is known later, too`() {
        let fixture = PlayedFixture(containers: [1, 2])
        for name in ["/c", "/c/a", "/c/a/b"] { fixture.kernel.create(name, .directory) }
        fixture.kernel.state.withLock { $0.mountsError = .noMemory }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.rest()
        fixture.kernel.setMountRoot("/c/a", true)
        fixture.kernel.state.withLock { $0.mountsError = nil }
        fixture.wait(seconds: 3)
        fixture.expectEqual("/c")
        #expect(fixture.tree.node(at: "a/b") == nil)
    }

    /// A table that can never be read is no reason to wake again and again.
    @Test func `Where there is no table it is not looked for`() {
        let fixture = PlayedFixture()
        fixture.kernel.create("/c", .directory)
        fixture.kernel.state.withLock { $0.mountsError = .noEntry }
        fixture.watcher.addContainer(1, path: "/c")
        fixture.wait(seconds: 5)
        fixture.watcher.mountsChanged()
        fixture.wait(seconds: 5)
        #expect(fixture.watcher.nextDeadline == nil)
    }
}
