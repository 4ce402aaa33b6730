// The list as it changes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// A change of a live list.
package enum ListEvent: Sendable {
    /// All items, at the beginning and after a reconnection.
    case items([GroceryItem])
    /// Items that were added or changed, and the identifiers of those that are gone.
    case changed([GroceryItem], removed: [ItemIdentifier])
    /// The daemon cannot be reached. ``items(_:)`` follows when it is back.
    case away(reason: String)
}

extension GroceryList {
    /// Returns the items now, and each change. The sequence ends with an error that a retry does not help. Ending the iteration ends the
    /// live query.
    package func events() -> AsyncThrowingStream<ListEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await follow { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func follow(_ send: (ListEvent) -> Void) async throws {
        let query = MetadataQuery(
            predicate: predicate, scopes: [scope], attributes: GroceryList.attributes + [.tags],
            socket: container.client.socket)
        try await query.start()
        defer { query.stop() }
        let prefixes = itemPrefixes
        var known: [MetadataItem.ID: GroceryItem] = [:]
        var isGathered = false
        for try await notification in query.notifications {
            switch notification {
            case .started:
                known = [:]
                isGathered = false
            case .progress(let changes), .updated(let changes):
                var (items, removed): ([GroceryItem], [ItemIdentifier]) = ([], [])
                for removal in changes.removed {
                    if let item = known.removeValue(forKey: removal.id) { removed.append(item.id) }
                }
                for found in changes.added + changes.changed {
                    let former = known[found.id]
                    let item = try await self.item(found, below: prefixes)
                    // Its removal follows, or it went to another list.
                    known[found.id] = item
                    if let item { items.append(item) }
                    if let former, item?.id != former.id { removed.append(former.id) }
                }
                // A file that was removed and made anew has another entry under the same identifier.
                let present = Set(known.values.map(\.id))
                removed.removeAll { present.contains($0) }
                if isGathered, !items.isEmpty || !removed.isEmpty { send(.changed(items, removed: removed)) }
            case .gathered:
                isGathered = true
                send(.items(Array(known.values)))
            case .reconnecting(let error): send(.away(reason: error.message))
            case .reconnected: send(.items(Array(known.values)))
            }
        }
    }
}
