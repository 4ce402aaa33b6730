// Updates that wait until a container is verified are made once.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct HeldUpdatesTests {
    @Test func backgroundUpdatesAreTakenOnceInTheirOrder() {
        var held = HeldUpdates<Int>()
        #expect(held.takeBackgroundUpdates() == [])
        for update in [3, 1, 2] { held.add(update) }
        #expect(held.takeBackgroundUpdates() == [3, 1, 2])
        #expect(held.takeBackgroundUpdates() == [])
    }

    @Test func readersAreTakenOnce() {
        var held = HeldUpdates<Int>()
        #expect(held.takeReader() == false)
        held.noteReader()
        held.noteReader()
        #expect(held.takeReader() == true)
        #expect(held.takeReader() == false)
    }

    @Test func aLookIsOwedUntilItIsPossible() {
        var held = HeldUpdates<Int>()
        #expect(held.look(isHeld: false) && !held.owesLook)
        #expect(!held.look(isHeld: true) && held.owesLook)
        #expect(!held.look(isHeld: true) && held.owesLook)
        #expect(held.look(isHeld: false) && !held.owesLook)
    }
}
