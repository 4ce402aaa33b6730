// What a live query asks.
// SPDX-License-Identifier: Apache-2.0

/// What a live query asks, as its user gave it.
struct QueryConfiguration: Sendable, Hashable {
    var predicate: String
    var scopes: [SearchScope]
    var attributes: [Attribute]
    var batchingInterval: Duration
    var resumeClock: String?

    /// What is asked of the daemon: the user's attributes, and those by which differences are told.
    var requestedAttributes: [Attribute] {
        attributes + ResultSetDifference.trackedAttributes.filter { !attributes.contains($0) }
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
