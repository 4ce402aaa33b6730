// The things that a report tells of an item.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// The things that a report tells of an item.
struct ItemReport: Sendable, Hashable {
    var state: SyncStateMessage
    /// The version of a file that is not here.
    var absent: AbsentItem?
    /// Whether the file here is about to be evicted. gatherd keeps the item then.
    var isLeaving = false

    init(state: SyncStateMessage, absent: AbsentItem? = nil, isLeaving: Bool = false) {
        self.state = state
        self.absent = absent
        self.isLeaving = isLeaving
    }

    /// A report as gatherd tells it.
    init(_ item: SyncItemMessage) {
        state = item.state ?? SyncStateMessage()
        absent = item.size.map { AbsentItem(size: $0, modified: item.modified ?? 0) }
    }

    func message(_ path: String) -> SyncItemMessage {
        SyncItemMessage(
            path: path, state: state, size: absent?.size, modified: absent?.modified, leaving: isLeaving ? true : nil)
    }
}
