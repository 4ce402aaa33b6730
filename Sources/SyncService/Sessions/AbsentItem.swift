// A file that is not on this device.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Syncthing

/// The newest version of a file that is not on this device.
struct AbsentItem: Sendable, Hashable {
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64

    init(size: Int64, modified: Int64) { (self.size, self.modified) = (size, modified) }

    init(_ record: FileRecord) {
        size = record.size
        modified = Timestamp(rfc3339: record.modified)?.nanoseconds ?? 0
    }
}
