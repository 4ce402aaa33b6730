// Computes the difference of two result sets.
// SPDX-License-Identifier: Apache-2.0

/// The difference between a query's former results and a new gathering, for a daemon that does not know the clock.
///
/// A daemon that lost its state gives every item another id. An item is recognised by its path, as after a save, or by
/// its file, as after a rename. A file is inode and birth time, since file systems reuse inodes. The item keeps the id
/// that the user knows, and `aliases` has the translation.
struct ResultSetDifference {
    /// The changes, with the ids that the user knows.
    var changes = QueryChanges()
    /// The new result set, with the ids that the user knows.
    var results: ResultSet
    /// The user's id for each item with another id in the daemon.
    var aliases: [MetadataItem.ID: MetadataItem.ID] = [:]

    /// Attributes that every live query requests to detect differences: the file of the item, and the change time of
    /// its inode, which advances with any change.
    static let trackedAttributes: [Attribute] = [.inode, .created, .changed]

    /// The attributes to compare. Identities are left out, since all may be new.
    private let compared: [Attribute]

    private struct File: Hashable {
        let inode: UInt64
        let created: Timestamp
        let container: ContainerIdentifier?

        init?(_ item: MetadataItem) {
            guard let inode = item.inode, let created = item.created else { return nil }
            self.inode = inode
            self.created = created
            container = item.container
        }
    }

    init(from old: ResultSet, to gathered: ResultSet, comparing attributes: [Attribute]) {
        compared = attributes.filter { $0 != .id && $0 != .parent }
        // The old set is changed, so that items keep their places.
        results = old
        results.prepare(changes: gathered.count)
        var unmatched: [MetadataItem] = []
        var gone: [MetadataItem.ID: MetadataItem] = [:]
        for item in old.unordered where gathered[item.id] == nil { gone[item.id] = item }
        for item in gathered.items {
            if let former = old[item.id] { match(item, with: former) } else { unmatched.append(item) }
        }
        match(&unmatched, with: &gone, by: \.pathBytes)
        match(&unmatched, with: &gone, by: File.init)
        for item in unmatched {
            changes.added.append(item)
            results.put(item)
        }
        // In the order of arrival, since a dictionary has none.
        for item in old.items where gone[item.id] != nil {
            changes.removed.append(RemovedItem(item))
            results.remove(item.id)
        }
    }

    /// Matches items by a key that one old and one new item have.
    private mutating func match<Key: Hashable>(
        _ unmatched: inout [MetadataItem], with gone: inout [MetadataItem.ID: MetadataItem],
        by key: (MetadataItem) -> Key?
    ) {
        guard !unmatched.isEmpty, !gone.isEmpty else { return }
        var formers: [Key: [MetadataItem.ID]] = [:]
        for item in gone.values {
            if let key = key(item) { formers[key, default: []].append(item.id) }
        }
        var counts: [Key: Int] = [:]
        for item in unmatched {
            if let key = key(item) { counts[key, default: 0] += 1 }
        }
        var left: [MetadataItem] = []
        for item in unmatched {
            guard let key = key(item), counts[key] == 1, let ids = formers[key], ids.count == 1,
                let former = gone.removeValue(forKey: ids[0])
            else {
                left.append(item)
                continue
            }
            match(item, with: former)
        }
        unmatched = left
    }

    private mutating func match(_ item: MetadataItem, with former: MetadataItem) {
        var item = item
        if item.id != former.id {
            aliases[item.id] = former.id
            item.id = former.id
        }
        let differs =
            item.pathBytes != former.pathBytes || item.nameBytes != former.nameBytes
            || compared.contains { item.value(forAttribute: $0) != former.value(forAttribute: $0) }
        results.put(item)
        if differs { changes.changed.append(item.moved(from: former.pathBytes)) }
    }
}
