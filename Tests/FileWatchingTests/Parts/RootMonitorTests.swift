// Roots to be looked at, and the watches above containers.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import FileWatching

@Suite struct RootMonitorTests {
    private var roots = RootMonitor()

    @Test mutating func theEarliestPositionCounts() {
        roots.suspect(1, position: 30, now: 20)
        #expect(roots.suspects == [1: 20], "what no event has caused is caused now")
        roots.suspect(1, position: 10, now: 40)
        roots.suspect(2, position: 15, now: 40)
        roots.forget(2)
        #expect(roots.takeSuspects() == [1: 10] && roots.suspects.isEmpty)
    }

    @Test mutating func aWatchIsNeededWhileAContainerLiesBelow() {
        #expect(roots.ancestor(7) == nil)
        roots.setMask(.attributes, of: 7)
        roots.add(1, below: 7)
        roots.add(2, below: 7)
        #expect(roots.ancestor(7)?.containers == [1, 2] && roots.ancestor(7)?.mask == .attributes)
        #expect(roots.remove(1, below: 7) == [2] && roots.ancestor(7) != nil)
        #expect(roots.remove(2, below: 7) == [] && roots.ancestor(7) == nil)
        roots.add(1, below: 7)
        roots.ended(7)
        #expect(roots.ancestor(7) == nil)
    }

    @Test mutating func changesOfAccessAreTakenOnce() {
        roots.accessChanged(above: 3)
        roots.accessChanged(above: 3)
        #expect(roots.takeAccessChanges() == [3] && roots.takeAccessChanges() == [])
    }
}
