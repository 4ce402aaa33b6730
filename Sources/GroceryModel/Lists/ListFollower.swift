// The events of a list from those of its query and its container.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// News of a query or of a container.
enum ListNews: Sendable {
    case query(QueryNotification)
    case availability(ContainerAvailability.Element)
    case failure(any Error)
}

/// Makes the events of a list from the notifications of its live query and from the availability of its container.
///
/// A container that becomes unavailable takes its items out of the query's results. These removals are no changes of the list, so
/// they are held back until the container is there again.
struct ListFollower {
    let list: GroceryList
    let query: MetadataQuery
    let send: @Sendable (ListEvent) -> Void
    private let prefixes: [String]
    private var known: [MetadataItem.ID: GroceryItem] = [:]
    /// The items as they were sent.
    private var published: [ItemIdentifier: GroceryItem] = [:]
    private var isGathered = false
    private var isAway = false

    init(list: GroceryList, query: MetadataQuery, send: @escaping @Sendable (ListEvent) -> Void) {
        self.list = list
        self.query = query
        self.send = send
        prefixes = list.itemPrefixes
    }

    mutating func take(_ news: ListNews) async throws {
        switch news {
        case .failure(let error): throw error
        case .query(.started):
            known = [:]
            isGathered = false
        case .query(.progress(let changes)), .query(.updated(let changes)):
            let (items, removed) = try await apply(changes)
            guard isGathered else { return }
            let wasAway = isAway
            let isExact = !query.inexactContainers.contains(list.container.identifier)
            // The items behind a folder that was exchanged for a link are not removed.
            if isAway == isExact || !removed.isEmpty && (try? list.requirePlace()) == nil { await lookForContainer() }
            if isAway { return }
            if wasAway { publish(Array(known.values)) } else { publish(items, removed: removed) }
        case .query(.gathered):
            await lookForContainer()
            isGathered = true
            if known.isEmpty, !isAway {
                do { try await list.requireList() } catch let error as GroceryError where error.code == .away {
                    await lookForContainer()
                }
            }
            if !isAway { publish(Array(known.values)) }
        case .query(.reconnecting(let error)): send(.away(reason: error.message))
        case .query(.reconnected):
            await lookForContainer()
            if !isAway { publish(Array(known.values)) }
        case .availability(.unavailable):
            let wasAway = isAway
            await lookForContainer()
            // It may be back already, which the next event tells with the items.
            if wasAway { isAway = true }
        case .availability(.available):
            guard isAway, isGathered else { return }
            // The query may not have told of all items yet.
            guard let items = try? await list.items() else { return }
            isAway = false
            publish(items)
        }
    }

    private mutating func publish(_ items: [GroceryItem]) {
        published = Dictionary(items.map { ($0.id, $0) }) { _, last in last }
        send(.items(items))
    }

    /// Sends changes. After an absence, the query adds items that were sent already.
    private mutating func publish(_ items: [GroceryItem], removed: [ItemIdentifier]) {
        let (items, removed) = (items.filter { published[$0.id] != $0 }, removed.filter { published[$0] != nil })
        for item in items { published[item.id] = item }
        for id in removed { published[id] = nil }
        if !items.isEmpty || !removed.isEmpty { send(.changed(items, removed: removed)) }
    }

    /// Finds out whether the container is away.
    private mutating func lookForContainer() async {
        let absence = await list.absence()
        if let absence, !isAway { send(.away(reason: absence)) }
        isAway = absence != nil
    }

    /// Takes over changes, and returns those of the list.
    private mutating func apply(
        _ changes: QueryChanges
    ) async throws -> (items: [GroceryItem], removed: [ItemIdentifier]) {
        var (items, removed): ([GroceryItem], [ItemIdentifier]) = ([], [])
        for removal in changes.removed {
            if let item = known.removeValue(forKey: removal.id) { removed.append(item.id) }
        }
        for found in changes.added + changes.changed {
            let former = known[found.id]
            let item = try await list.item(found, below: prefixes)
            // Its removal follows, or it went to another list.
            known[found.id] = item
            if let item { items.append(item) }
            if let former, item?.id != former.id { removed.append(former.id) }
        }
        // A file that was removed and made anew has another entry under the same identifier.
        let present = Set(known.values.map(\.id))
        removed.removeAll { present.contains($0) }
        return (items, removed)
    }
}
