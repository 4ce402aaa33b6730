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
}
