// The list as it changes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// A change of a live list.
package enum ListEvent: Sendable {
    /// All items, at the beginning and after a reconnection.
    case items([GroceryItem])
    /// Items that were added or changed, and the identifiers of those that are gone.
    case changed([GroceryItem], removed: [ItemIdentifier])
    /// The daemon cannot be reached, or the directory of the list is away. The items stay as they are known until ``items(_:)`` follows.
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

    private func follow(_ send: @escaping @Sendable (ListEvent) -> Void) async throws {
        let query = MetadataQuery(
            predicate: predicate, scopes: [scope], attributes: GroceryList.attributes + [.tags],
            daemon: container.daemon)
        try await query.start()
        defer { query.stop() }
        let (news, continuation) = AsyncStream.makeStream(of: ListNews.self)
        var follower = ListFollower(list: self, query: query, send: send)
        try await withThrowingTaskGroup(of: Void.self) { [container] group in
            group.addTask {
                do {
                    for try await notification in query.notifications { continuation.yield(.query(notification)) }
                    continuation.finish()
                } catch {
                    continuation.yield(.failure(error))
                }
            }
            group.addTask {
                // Its end says nothing: the query has the same daemon.
                do {
                    for try await state in container.availability { continuation.yield(.availability(state)) }
                } catch {}
            }
            defer { group.cancelAll() }
            for await news in news { try await follower.take(news) }
        }
    }
}
