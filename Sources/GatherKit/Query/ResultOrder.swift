// The results in the requested order.
// SPDX-License-Identifier: Apache-2.0

/// The results in the requested order, each found by its key. Few changes are inserted, O(n) in moved memory; many are
/// sorted on the next read.
struct ResultOrder {
    /// An item, its sort key, and its number of arrival, which orders equal items.
    struct Place {
        let item: MetadataItem
        let key: [UInt8]
        let arrival: UInt64

        func isBefore(_ other: Place) -> Bool {
            if key == other.key { return arrival < other.arrival }
            return key.lexicographicallyPrecedes(other.key)
        }
    }

    /// The most changes that are inserted at once, for each 1,000 results. More changes are sorted.
    private static let smallShare = 20

    private var places: [Place] = []
    /// Whether `places` holds every result in order. False until the first read.
    private(set) var isKept = false

    var items: [MetadataItem] { places.map(\.item) }

    /// Drops the order if keeping it would cost more than sorting again.
    mutating func prepare(changes: Int) {
        guard isKept, changes > 64, changes * 1000 > places.count * ResultOrder.smallShare else { return }
        forget()
    }

    mutating func forget() {
        places = []
        isKept = false
    }

    mutating func fill(_ all: some Sequence<Place>) {
        places = all.sorted { $0.isBefore($1) }
        isKept = true
    }

    mutating func insert(_ place: Place) {
        guard isKept else { return }
        places.insert(place, at: index(of: place))
    }

    mutating func remove(_ place: Place) {
        guard isKept else { return }
        let index = index(of: place)
        guard index < places.count, places[index].arrival == place.arrival else { return }
        places.remove(at: index)
    }

    /// Returns the first place that is not before this one.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].isBefore(place) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
