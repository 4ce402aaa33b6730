// A sweep of the access control lists that are kept.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import NIOCore

/// A sweep of the access control lists that are kept: each index says which it has, and what nobody has is let go.
struct AccessListSweep {
    /// When the next one begins.
    var next: (time: NIODeadline, task: Scheduled<Void>)?
    /// The containers whose turn is to come in the one that is under way, and how much of the past is kept.
    var rest: [ContainerRecord]?
    var allowance = AccessListAllowance()
    /// Keeps the lists of the directories above containers; nil where they have none.
    var lease: AccessListLease?
    /// The daemon's clock when it was looked last which items lack lists, and how often there had been room again.
    var sequence: UInt64?
    var roomMade: UInt64 = 0
}
