// The question of a live query.
// SPDX-License-Identifier: Apache-2.0

/// The question of a live query, as set by its user.
struct QueryConfiguration: Sendable, Hashable {
    var predicate: String
    var scopes: [SearchScope]
    var attributes: [Attribute]
    var batchingInterval: Duration
    var resumeClock: DaemonClock?
    var arrangement = ResultArrangement()

    /// The attributes to request from the daemon: the user's, those that arrange the results, and those that detect
    /// differences.
    var requestedAttributes: [Attribute] {
        var requested = attributes
        for attribute in arrangement.attributes + ResultSetDifference.trackedAttributes
        where !requested.contains(attribute) {
            requested.append(attribute)
        }
        return requested
    }

    /// Whether the daemon's answer to another configuration serves this one, so that only the presentation changes. The
    /// answer must have the attributes that this presentation reads.
    func asksTheSame(as other: QueryConfiguration) -> Bool {
        predicate == other.predicate && scopes == other.scopes && batchingInterval == other.batchingInterval
            && resumeClock == other.resumeClock && attributes == other.attributes
            && Set(requestedAttributes).isSubset(of: other.requestedAttributes)
    }

    /// The batching interval in whole milliseconds, rounded up so that a short one is not zero.
    var batchMilliseconds: Int64 { batchingInterval.wholeMilliseconds }
}

extension Duration {
    /// The milliseconds, rounded up and not negative.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow2) = product.addingReportingOverflow((attoseconds + perMillisecond - 1) / perMillisecond)
        return overflow || overflow2 ? .max : max(0, sum)
    }
}
