// Changes of a result set that nobody has taken yet, one for each item however often it changed.
// SPDX-License-Identifier: Apache-2.0

/// Changes that wait to be told, merged to at most one for each item: what came and went in between is not mentioned,
/// what changed twice is mentioned once. In order of the first touch.
struct PendingDelta {
    private enum Change {
        case added(MetadataItem)
        case changed(MetadataItem)
        /// With the path that the item has for who has heard of none of this.
        case removed(RemovedItem, toldPath: String)
    }

    /// nil where what was told has come to nothing.
    private var changes: [Change?] = []
    private var places: [String: Int] = [:]

    var isEmpty: Bool { places.isEmpty }

    /// How much is stored for it, holes included.
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
        case .changed(let earlier): changes[place] = .changed(item.moved(from: earlier.previousPath))
        case .removed(_, let toldPath):
            // Gone and back: for who has not heard of either it was there all the time.
            changes[place] = .changed(item.moved(from: toldPath))
        }
    }

    mutating func change(_ item: MetadataItem) {
        guard let place = places[item.id], let former = changes[place] else {
            return insert(.changed(item.moved(from: item.previousPath)), for: item.id)
        }
        switch former {
        case .added: changes[place] = .added(item.moved(from: nil))
        case .changed(let earlier):
            changes[place] = .changed(item.moved(from: earlier.previousPath ?? item.previousPath))
        case .removed(_, let toldPath): changes[place] = .changed(item.moved(from: toldPath))
        }
    }

    mutating func remove(_ removal: RemovedItem) {
        guard let place = places[removal.id], let former = changes[place] else {
            return insert(.removed(removal, toldPath: removal.path), for: removal.id)
        }
        switch former {
        case .added:
            changes[place] = nil
            places[removal.id] = nil
        case .changed(let item):
            changes[place] = .removed(removal, toldPath: item.previousPath ?? removal.path)
        case .removed(_, let toldPath): changes[place] = .removed(removal, toldPath: toldPath)
        }
    }

    /// Everything that waits; nothing does afterwards.
    mutating func take() -> QueryChanges {
        var delta = QueryChanges()
        for case .some(let change) in changes {
            switch change {
            case .added(let item): delta.added.append(item)
            case .changed(let item): delta.changed.append(item)
            case .removed(let removal, _): delta.removed.append(removal)
            }
        }
        self = PendingDelta()
        return delta
    }

    private mutating func insert(_ change: Change, for id: String) {
        // An item that comes and goes for ever must not leave a hole each time.
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
    /// The item as one that came from `path`, which is told only where it differs from where the item is.
    func moved(from path: String?) -> MetadataItem {
        var item = self
        item.previousPath = path == self.path ? nil : path
        // Without its path the item cannot tell that it moved.
        if self.path == nil { item.previousPath = nil }
        return item
    }
}
