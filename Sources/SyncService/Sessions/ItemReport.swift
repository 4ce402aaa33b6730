// The things that a report tells of an item.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// The things that a report tells of an item.
struct ItemReport: Sendable, Hashable {
    var state: SyncStateMessage
    /// The version of a file that is not here.
    var absent: AbsentItem?

    func message(_ path: String) -> SyncItemMessage {
        SyncItemMessage(path: path, state: state, size: absent?.size, modified: absent?.modified)
    }
}
