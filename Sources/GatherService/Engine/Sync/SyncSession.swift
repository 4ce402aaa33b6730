// A helper's telling of the states of one container.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex
import Varlink

/// The states of one shared container as a helper tells them, from its Attach to the end of that call. Event loop only.
final class SyncSession {
    let number: Int64
    /// The call of Attach, which lasts as long as the session.
    let call: VarlinkCall
    /// Absent items that were there before the session and were not told yet. The first report with a clock ends them.
    var unconfirmed: Set<Row> = []

    init(number: Int64, call: VarlinkCall) {
        self.number = number
        self.call = call
    }
}
