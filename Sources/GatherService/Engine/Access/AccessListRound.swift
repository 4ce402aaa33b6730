// A round through the items of a container that lack their access control lists.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// A round through the items of a container that lack their access control lists, a part at a time. Each container ends its own
/// before it begins another, and begins one only when there is news.
struct AccessListRound {
    /// The state when it began: the index's clock, and how often an owner had got room again for lists.
    private var news: (clock: UInt64, roomMade: UInt64)?
    /// Where to go on; nil when it is over.
    private var next: Row?

    /// Whether there is something to look at: the rest of it, or news since it began.
    func isDue(clock: UInt64, roomMade: UInt64) -> Bool {
        next != nil || news.map { $0 != (clock, roomMade) } ?? true
    }

    /// Returns where to look now: the beginning where the former round is over. Unless it pauses, the round is over with this look.
    mutating func goOn(clock: UInt64, roomMade: UInt64) -> Row {
        if let next = next.take() { return next }
        news = (clock, roomMade)
        return .root
    }

    /// Has the round go on from a row; nil if it is over.
    mutating func pause(at row: Row?) { next = row }
}
