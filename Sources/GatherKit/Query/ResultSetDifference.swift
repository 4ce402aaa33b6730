// What changed between two result sets when the daemon can no longer tell.
// SPDX-License-Identifier: Apache-2.0

/// The difference between what a query knew and what it gathered anew.
///
/// A daemon that lost its state gives every item another id. An item is then known again by its path, as one that was
/// saved over is, or else by its file (inode and time of birth, since a file system hands out inodes again), as one
/// that was renamed meanwhile is. It keeps the id under which the query's user knows it; `aliases` translates.
struct ResultSetDifference {
    /// What changed, in the ids that the user knows.
    var changes = QueryChanges()
    /// The new result set, in the ids that the user knows.
    var results: ResultSet
    /// The user's id of each item that the daemon calls something else now.
    var aliases: [String: String] = [:]

    /// Attributes that every live query asks for, so that a difference can be told: the file behind the item, and the
    /// time of the inode's last change, which moves with any change of content or of what the file system keeps.
    static let trackedAttributes: [Attribute] = [.inode, .created, .changed]

    /// What an item is compared by; not identities, which may all be other ones.
    private let compared: [Attribute]

    private struct File: Hashable {
        let inode: Int64
        let created: Timestamp
        let container: String?

        init?(_ item: MetadataItem) {
            guard let inode = item.inode, let created = item.created else { return nil }
            self.inode = inode
            self.created = created
            container = item.container
        }
    }

    init(from old: ResultSet, to gathered: ResultSet, comparing attributes: [Attribute]) {
        compared = attributes.filter { $0 != .id && $0 != .parent }
        // The old set is what is changed, so that items keep their places.
        results = old
        results.prepare(changes: gathered.count)
        var unmatched: [MetadataItem] = []
        var gone: [String: MetadataItem] = [:]
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
        // In the order of arrival, which a dictionary has not.
        for item in old.items where gone[item.id] != nil {
            changes.removed.append(RemovedItem(item))
            results.remove(item.id)
        }
    }

    /// Matches items by a key, where it is one old item's and one new item's.
    private mutating func match<Key: Hashable>(
        _ unmatched: inout [MetadataItem], with gone: inout [String: MetadataItem], by key: (MetadataItem) -> Key?
    ) {
        guard !unmatched.isEmpty, !gone.isEmpty else { return }
        var formers: [Key: [String]] = [:]
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
        if differs { changes.changed.append(item.moved(from: former.path)) }
    }
}
