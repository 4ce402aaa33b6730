// The results in the requested order.
// SPDX-License-Identifier: Apache-2.0

/// The results in the requested order, each found by its key. Few changes are inserted, O(n) in moved memory; many are
/// sorted on the next read.
///
/// With a limit, only the first results are kept: up to twice the limit and ``spare``. A change costs O(limit) in moved memory
/// then. When so many of them are gone that fewer than the limit are left, all results are sorted again.
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
    /// The results that are kept beyond twice the limit.
    private static let spare = 256

    /// The number of first results that readers see; nil for all.
    let limit: Int?
    private var places: [Place] = []
    /// Whether `places` holds every result, or every one of the first, in order. False until the first read.
    private(set) var isKept = false
    /// Whether `places` holds every result.
    private var isWhole = false
    /// Whether the first results changed since the last call of ``takeTouched()``.
    private var isTouched = false

    init(limit: Int? = nil) { self.limit = limit }

    /// The items that readers see, in order.
    var items: [MetadataItem] { places.prefix(limit ?? places.count).map(\.item) }

    private var capacity: Int? {
        limit.map { limit in
            let (double, overflow) = limit.multipliedReportingOverflow(by: 2)
            return overflow || double > .max - ResultOrder.spare ? .max : double + ResultOrder.spare
        }
    }

    /// Drops the order if keeping it would cost more than sorting again.
    mutating func prepare(changes: Int) {
        // The first results are few, and sorting again would sort all.
        guard isKept, limit == nil, changes > 64, changes * 1000 > places.count * ResultOrder.smallShare else { return }
        forget()
    }

    mutating func forget() { self = ResultOrder(limit: limit) }

    mutating func fill(_ all: some Sequence<Place>) {
        places = all.sorted { $0.isBefore($1) }
        isKept = true
        isWhole = true
        isTouched = true
        if let capacity, places.count > capacity {
            places.removeLast(places.count - capacity)
            isWhole = false
        }
    }

    mutating func insert(_ place: Place) {
        guard isKept else { return }
        let index = index(of: place)
        // Behind the last kept one, other results may come first.
        guard index < places.count || isWhole else { return }
        touch(index)
        places.insert(place, at: index)
        guard let capacity, places.count > capacity else { return }
        places.removeLast()
        isWhole = false
    }

    mutating func remove(_ place: Place) {
        guard isKept else { return }
        let index = index(of: place)
        guard index < places.count, places[index].arrival == place.arrival else { return }
        touch(index)
        places.remove(at: index)
    }

    private mutating func touch(_ index: Int) {
        if index < limit ?? .max { isTouched = true }
    }

    /// Drops an order of which too few places are left.
    mutating func forgetIfShort() {
        if let limit, isKept, !isWhole, places.count < limit { forget() }
    }

    /// Returns whether the results that readers see may have changed since the last call.
    mutating func takeTouched() -> Bool {
        defer { isTouched = false }
        return isTouched
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
