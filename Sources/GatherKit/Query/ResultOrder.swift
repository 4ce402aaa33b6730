// The results in the order asked for, kept while they change.
// SPDX-License-Identifier: Apache-2.0

/// The results in the order asked for, each found by its key. Few changes are put in their places, O(n) in memory that is
/// moved; many are sorted when somebody asks.
struct ResultOrder {
    /// An item, what it is sorted by, and when it came, which decides between equal ones.
    struct Place {
        let item: MetadataItem
        let key: [UInt8]
        let arrival: UInt64

        func isBefore(_ other: Place) -> Bool {
            if key == other.key { return arrival < other.arrival }
            return key.lexicographicallyPrecedes(other.key)
        }
    }

    /// Up to how many changes at a time are put in their places, for each 1,000 results.
    private static let smallShare = 20

    private var places: [Place] = []
    /// Whether `places` holds every result in order; not so before somebody asks.
    private(set) var isKept = false

    var items: [MetadataItem] { places.map(\.item) }

    /// Gives the order up where it would cost more to keep it than to make it anew.
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

    /// The first place that is not before this one.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].isBefore(place) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
