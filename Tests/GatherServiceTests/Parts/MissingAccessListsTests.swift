// Missing access control lists are told once, and looked for in rounds.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex
import Testing

@testable import GatherService

struct MissingAccessListsTests {
    @Test func changesAreToldOnce() {
        var lists = MissingAccessLists()
        #expect(lists.update(isIndexLacking: false) == false)
        #expect(lists.update(isIndexLacking: true) && lists.areMissing)
        #expect(lists.update(isIndexLacking: true) == false)
        lists.note(ownersAbove: [7])
        #expect(!lists.update(isIndexLacking: false) && lists.areMissing, "one above is missing")
        lists.note(ownersAbove: [])
        #expect(lists.update(isIndexLacking: false) && !lists.areMissing)
        lists.note(ownersAbove: [7, 8])
        #expect(lists.ownersAbove == [7, 8] && lists.update(isIndexLacking: false))
    }

    @Test func aRoundGoesOnUntilItIsOver() {
        var lists = MissingAccessLists()
        #expect(!lists.isLookDue(clock: 1, roomMade: 0), "nothing is missing")
        _ = lists.update(isIndexLacking: true)
        #expect(lists.isLookDue(clock: 1, roomMade: 0))
        #expect(lists.look(clock: 1, roomMade: 0) == .root)
        #expect(!lists.isLookDue(clock: 1, roomMade: 0), "it has paused nowhere")
        lists.goOn(from: Row(9))
        #expect(lists.isLookDue(clock: 1, roomMade: 0))
        #expect(lists.look(clock: 2, roomMade: 0) == Row(9))
        lists.goOn(from: nil)
        // The news of clock 2 came while the round was under way.
        #expect(lists.isLookDue(clock: 2, roomMade: 0))
        #expect(lists.look(clock: 2, roomMade: 0) == .root)
        #expect(!lists.isLookDue(clock: 2, roomMade: 0))
        #expect(lists.isLookDue(clock: 2, roomMade: 1))
    }
}
