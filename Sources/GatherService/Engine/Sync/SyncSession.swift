// A helper's telling of the states of one container.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// The states of one shared container as a helper tells them, from its Attach to the end of that call. Event loop only.
final class SyncSession {
    let number: Int64
    let call: any SyncCall
    /// Absent items that were there before the session and were not told yet. The first report with a clock ends them.
    private var unconfirmed: Set<Row>

    init(number: Int64, call: any SyncCall, unconfirmed: Set<Row>) {
        (self.number, self.call, self.unconfirmed) = (number, call, unconfirmed)
    }

    /// Notes that the helper has told an item.
    func confirm(_ row: Row) { unconfirmed.remove(row) }

    /// Returns the absent items that the helper has not told, in order, once.
    func takeUnconfirmed() -> [Row] {
        defer { unconfirmed = [] }
        return unconfirmed.sorted()
    }
}
