// The number of items of a container that a caller sees.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import MetadataIndex

/// How much of a container a viewer sees.
struct Census: Sendable, Hashable {
    var items = 0
    /// Directories among them.
    var directories = 0
    /// Whether that is all there is.
    var isComplete = false

    init() {}

    /// Complexity: O(rows).
    init(of snapshot: IndexSnapshot, for viewer: Viewer) {
        for row in snapshot.rows(seenBy: viewer) {
            items += 1
            if snapshot.kind(of: row).isDirectory { directories += 1 }
        }
        isComplete = items == snapshot.count
    }
}
