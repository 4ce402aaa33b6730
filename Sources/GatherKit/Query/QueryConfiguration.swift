// What a live query asks.
// SPDX-License-Identifier: Apache-2.0

/// What a live query asks, as its user gave it.
struct QueryConfiguration: Sendable, Hashable {
    var predicate: String
    var scopes: [SearchScope]
    var attributes: [Attribute]
    var batchingInterval: Duration
    var resumeClock: String?
    var arrangement = ResultArrangement()

    /// What is asked of the daemon: the user's attributes, those by which the results are arranged, and those by which
    /// differences are told.
    var requestedAttributes: [Attribute] {
        var requested = attributes
        for attribute in arrangement.attributes + ResultSetDifference.trackedAttributes
        where !requested.contains(attribute) {
            requested.append(attribute)
        }
        return requested
    }

    /// Whether what the daemon was asked by another configuration serves this one too, so that only the results are arranged
    /// in another way: it told what these are arranged by, in whatever order that was asked for.
    func asksTheSame(as other: QueryConfiguration) -> Bool {
        predicate == other.predicate && scopes == other.scopes && batchingInterval == other.batchingInterval
            && resumeClock == other.resumeClock && attributes == other.attributes
            && Set(requestedAttributes).isSubset(of: other.requestedAttributes)
    }

    /// The batching interval in whole milliseconds, rounded up so that a short one is not none.
    var batchMilliseconds: Int64 { batchingInterval.wholeMilliseconds }
}

extension Duration {
    /// Rounded up, and never negative.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow2) = product.addingReportingOverflow((attoseconds + perMillisecond - 1) / perMillisecond)
        return overflow || overflow2 ? .max : max(0, sum)
    }
}
