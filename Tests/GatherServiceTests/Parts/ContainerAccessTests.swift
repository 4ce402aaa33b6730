// The access to a container is unsure until it is verified, and the items that a viewer saw are counted once.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import Testing

@testable import GatherService

struct ContainerAccessTests {
    @Test func savedAccessIsUnsureUntilItIsTaken() {
        var access = ContainerAccess(changed: 7, ancestorAccess: [1, 2])
        #expect(access.isUnsure && access.formerAncestorAccess == [1, 2])
        #expect(access.takeFormerAncestorAccess() == [1, 2])
        #expect(!access.isUnsure && access.takeFormerAncestorAccess() == nil)
        #expect(!ContainerAccess(changed: 7, ancestorAccess: []).isUnsure, "callers were not told apart")
        #expect(!ContainerAccess().isUnsure)
    }

    @Test func clocksFromBeforeAChangeAreOfNoUse() {
        var access = ContainerAccess(changed: 7, ancestorAccess: [])
        #expect([6, 7].map { access.isSame(since: $0) } == [false, true])
        access.noteChange(at: 9)
        #expect(access.changed == 9 && [8, 9].map { access.isSame(since: $0) } == [false, true])
        #expect(ContainerAccess().isSame(since: 0))
    }

    @Test func aContainerIsVerifiedEachTimeItIsFound() {
        var access = ContainerAccess()
        #expect(!access.isVerified && access.noteVerified())
        #expect(access.isVerified && !access.noteVerified())
        access.noteUnavailable()
        #expect(!access.isVerified && access.noteVerified())
    }

    @Test func aCensusIsOfOneViewerAndOneClock() {
        let viewers = [1, 2].map { Viewer(seeingNothing: Credentials(user: $0, groups: [])) }
        var census = Census()
        census.items = 3
        var access = ContainerAccess()
        #expect(access.census(of: viewers[0], at: 5) == nil)
        access.note(census, of: viewers[0], at: 5)
        #expect(access.census(of: viewers[0], at: 5) == census)
        #expect(access.census(of: viewers[1], at: 5) == nil && access.census(of: viewers[0], at: 6) == nil)
        access.note(Census(), of: viewers[1], at: 6)
        #expect(access.census(of: viewers[0], at: 5) == nil && access.census(of: viewers[1], at: 6) == Census())
    }
}
