// A list of files that keeps itself up to date.
// SPDX-License-Identifier: Apache-2.0

import GatherKit

/// The files of a container that match a predicate, in order, as they are now.
struct LiveList {
    private let query: MetadataQuery

    init(_ predicate: String, in container: ContainerIdentifier, of daemon: Daemon = .automatic) {
        query = MetadataQuery(
            predicate: predicate, scopes: [.container(container)], attributes: [.name, .size],
            sortedBy: [SortKey(.name)], daemon: daemon)
    }

    /// Passes on the lines of the list, now and after each change.
    func follow(_ show: ([String]) async throws -> Void) async throws {
        try await query.start()
        for try await notification in query.notifications {
            switch notification {
            case .gathered, .updated:
                try await show(query.results.map { "\($0.name ?? "?")  \($0.size ?? 0)" })
            default: break
            }
        }
    }
}
