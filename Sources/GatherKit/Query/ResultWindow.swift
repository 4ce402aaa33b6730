// The first results, which a limit shows, and their changes.
// SPDX-License-Identifier: Apache-2.0

/// The results that a limit shows, as readers were told of them.
struct ResultWindow {
    /// The items in order, as readers know them.
    private(set) var shown: [MetadataItem] = []

    /// Makes a window of items that readers know already.
    init(showing shown: [MetadataItem] = []) { self.shown = shown }

    /// Shows `items`, and returns the changes for a reader who knows the former ones. Costs O(items).
    ///
    /// - Parameters:
    ///   - items: The first results, in order.
    ///   - delta: The changes of all matches since the last call. An item that remains is told only if it is in there.
    mutating func show(_ items: [MetadataItem], after delta: QueryChanges) -> QueryChanges {
        var changes = QueryChanges()
        let former = shown
        var left = Dictionary(former.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let touched = Set(delta.changed.lazy.map(\.id)).union(delta.added.lazy.map(\.id))
        shown = items
        for item in items {
            guard let known = left.removeValue(forKey: item.id) else {
                changes.added.append(item)
                continue
            }
            // The former path is the one that the reader knows, whatever it was in between.
            if touched.contains(item.id) { changes.changed.append(item.moved(from: known.pathBytes)) }
        }
        guard !left.isEmpty else { return changes }
        // An item that no longer matches has its last path from the daemon.
        let removals = Dictionary(delta.removed.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for item in former where left[item.id] != nil {
            var removal = removals[item.id] ?? RemovedItem(item)
            if let known = item.pathBytes { removal.toldPath = known }
            changes.removed.append(removal)
        }
        return changes
    }
}
