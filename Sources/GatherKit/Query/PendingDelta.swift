// The unread changes of a result set, one for each item.
// SPDX-License-Identifier: Apache-2.0

/// Unread changes, merged to one for each item, in the order of the first change. An item that was added and removed
/// has none.
struct PendingDelta {
    private enum Change {
        case added(MetadataItem)
        case changed(MetadataItem)
        /// A change with the path that a reader knows who has seen none of these changes.
        case removed(RemovedItem, publishedPath: [UInt8])
    }

    /// The changes by place; nil for one that was cancelled out.
    private var changes: [Change?] = []
    private var places: [MetadataItem.ID: Int] = [:]

    var isEmpty: Bool { places.isEmpty }

    /// The number of stored places, with holes.
    var storedCount: Int { changes.count }

    mutating func merge(_ delta: QueryChanges) {
        for removal in delta.removed { remove(removal) }
        for item in delta.added { add(item) }
        for item in delta.changed { change(item) }
    }

    mutating func add(_ item: MetadataItem) {
        guard let place = places[item.id], let former = changes[place] else {
            return insert(.added(item), for: item.id)
        }
        switch former {
        case .added: changes[place] = .added(item)
        case .changed(let earlier): changes[place] = .changed(item.moved(from: earlier.previousPathBytes))
        case .removed(_, let publishedPath):
            // A reader that has seen neither the removal nor the addition knows the item as present.
            changes[place] = .changed(item.moved(from: publishedPath))
        }
    }

    mutating func change(_ item: MetadataItem) {
        guard let place = places[item.id], let former = changes[place] else {
            return insert(.changed(item.moved(from: item.previousPathBytes)), for: item.id)
        }
        switch former {
        case .added: changes[place] = .added(item.moved(from: nil))
        case .changed(let earlier):
            changes[place] = .changed(item.moved(from: earlier.previousPathBytes ?? item.previousPathBytes))
        case .removed(_, let publishedPath): changes[place] = .changed(item.moved(from: publishedPath))
        }
    }

    mutating func remove(_ removal: RemovedItem) {
        guard let place = places[removal.id], let former = changes[place] else {
            return insert(.removed(removal, publishedPath: removal.toldPath), for: removal.id)
        }
        switch former {
        case .added:
            changes[place] = nil
            places[removal.id] = nil
        case .changed(let item):
            changes[place] = .removed(removal, publishedPath: item.previousPathBytes ?? removal.toldPath)
        case .removed(_, let publishedPath): changes[place] = .removed(removal, publishedPath: publishedPath)
        }
    }

    /// Removes and returns all changes.
    mutating func take() -> QueryChanges {
        var delta = QueryChanges()
        for case .some(let change) in changes {
            switch change {
            case .added(let item): delta.added.append(item)
            case .changed(let item): delta.changed.append(item)
            case .removed(var removal, let toldPath):
                removal.toldPath = toldPath
                delta.removed.append(removal)
            }
        }
        self = PendingDelta()
        return delta
    }

    private mutating func insert(_ change: Change, for id: MetadataItem.ID) {
        // An item that comes and goes again and again must not leave a hole each time.
        if changes.count > 64, changes.count > places.count * 2 { compact() }
        places[id] = changes.count
        changes.append(change)
    }

    private mutating func compact() {
        changes.removeAll { $0 == nil }
        for (place, change) in changes.enumerated() {
            switch change {
            case .added(let item), .changed(let item): places[item.id] = place
            case .removed(let removal, _): places[removal.id] = place
            case nil: break
            }
        }
    }
}

extension MetadataItem {
    /// Returns the item with its former path, if that differs.
    func moved(from path: [UInt8]?) -> MetadataItem {
        var item = self
        // Without a requested path, a move is unknown.
        let present = pathBytes
        item.previousPathBytes = present == nil || path == present ? nil : path
        return item
    }
}
