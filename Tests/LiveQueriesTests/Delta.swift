// Some of what a live query has to tell, taken at once.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

@testable import LiveQueries

struct Delta {
    var added: [Row] = []
    var changed: [DeltaItem.Changed] = []
    var removed: [DeltaItem.Removed] = []
    /// Whether more is pending.
    var hasMore = false

    var count: Int { added.count + changed.count + removed.count }
}

extension LiveQuery {
    /// Takes up to `limit` pending items, those first that changed first.
    func take(limit: Int, in index: MetadataIndex) -> Delta {
        let snapshot = snapshot(of: index)
        var delta = Delta()
        while delta.count < limit, let item = takeNext(in: snapshot) {
            switch item {
            case .added(let row): delta.added.append(row)
            case .changed(let changed): delta.changed.append(changed)
            case .removed(let removed): delta.removed.append(removed)
            }
        }
        delta.hasMore = hasPending
        return delta
    }
}
