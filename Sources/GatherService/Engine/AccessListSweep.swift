// A sweep of the access control lists that are kept.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import NIOCore

/// A sweep of the access control lists that are kept: each index says which it has, and what nobody has is let go. Then it may
/// be looked again at items that lack lists.
struct AccessListSweep {
    /// When the next one begins, or the one that is under way goes on.
    var next: (time: NIODeadline, task: Scheduled<Void>)?
    /// From when on such items are looked at, at the end of a sweep; nil where nobody asks for that.
    var looksFrom: NIODeadline?
    var isUnderWay = false
    /// The containers whose turn is to come in the one that is under way, in the sweep and in the look.
    var unswept: [ContainerRecord] = []
    var unlooked: [ContainerRecord] = []
    /// How much of the past is kept.
    var allowance = AccessListAllowance()
    /// Keeps the lists of the directories above containers; nil where they have none.
    var lease: AccessListLease?
    /// The daemon's clock when the last one began.
    var sequence: UInt64?
}
