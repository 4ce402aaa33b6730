// The items of one container that lack their access control lists.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// Tells whether a container has items whose access control lists could not be read or kept, and when these are looked at again.
struct MissingAccessLists {
    /// Whether there are such items, or such a directory above them, as it was told last.
    private(set) var areMissing = false
    /// The owners of such directories above.
    private(set) var ownersAbove: Set<UInt32> = []
    private var round = AccessListRound()

    /// Notes the owners of such directories above.
    mutating func note(ownersAbove: Set<UInt32>) { self.ownersAbove = ownersAbove }

    /// Takes whether the index has such items now. Returns whether there is something to tell.
    mutating func update(isIndexLacking: Bool) -> Bool {
        let before = areMissing
        areMissing = isIndexLacking || !ownersAbove.isEmpty
        return areMissing != before
    }

    /// Whether items are to be looked at: lists are missing, and the round is not over, or there is news since it began.
    func isLookDue(clock: UInt64, roomMade: UInt64) -> Bool {
        areMissing && round.isDue(clock: clock, roomMade: roomMade)
    }

    /// Goes on with the round, or begins one. Returns where to look.
    mutating func look(clock: UInt64, roomMade: UInt64) -> Row { round.goOn(clock: clock, roomMade: roomMade) }

    /// Has the round go on from a row the next time; nil if it is over.
    mutating func goOn(from row: Row?) { round.pause(at: row) }
}
