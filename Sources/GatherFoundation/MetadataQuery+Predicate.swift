// Live queries for `#Predicate`.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GatherKit

extension MetadataQuery {
    /// Makes a query for the items that satisfy a Foundation predicate. It is not started yet.
    ///
    /// ```swift
    /// let query = try MetadataQuery(#Predicate { ($0.size ?? 0) > 10_000 && $0.tags?.contains("urgent") == true })
    /// ```
    ///
    /// The daemon evaluates it: the predicate is first written in the language, see ``gatherPredicate(_:)``.
    ///
    /// - Parameters:
    ///   - predicate: The condition on items.
    ///   - scopes: The places to search; empty means every container that this user may read.
    ///   - attributes: The attributes to return of each item; the predicate may name others.
    ///   - sortKeys: The order of `results`; without keys, the order of arrival.
    ///   - limit: The most `results`, the first of that order; nil for all.
    ///   - batchingInterval: How long the daemon may hold changes back to merge them; zero sends each at once.
    ///   - clock: A `clock` of an earlier query.
    ///   - daemon: The daemon.
    /// - Throws: The part of the predicate that the language cannot express.
    public convenience init(
        _ predicate: Predicate<MetadataItem>, scopes: [SearchScope] = [],
        attributes: [Attribute] = MetadataQuery.defaultAttributes, sortedBy sortKeys: [SortKey] = [],
        limit: Int? = nil, batchingInterval: Duration = .zero, since clock: DaemonClock? = nil,
        daemon: Daemon = .automatic
    ) throws(PredicateConversionError) {
        self.init(
            predicate: try gatherPredicate(predicate), scopes: scopes, attributes: attributes, sortedBy: sortKeys,
            limit: limit, batchingInterval: batchingInterval, since: clock, daemon: daemon)
    }
}

/// Returns a Foundation predicate in the language of Gather, for any call that takes predicate text.
///
/// It is true of the same items, with the attributes that the daemon knows of them, except:
/// - Unwrapping nil (`item.size! > 10`) traps in Swift. Here the value is nil, and only `!=` is true of it.
/// - Arithmetic overflow, division by zero and an index out of range trap in Swift. Here they are errors of the answer.
/// - `contains` and `starts(with:)` search for normalised code points, not for whole characters. A match that ends before a
///   combining mark without a composed form is found here only.
///
/// - Throws: The part of the predicate that the language cannot express.
public func gatherPredicate(_ predicate: Predicate<MetadataItem>) throws(PredicateConversionError) -> String {
    try Conversion.text(of: predicate)
}
