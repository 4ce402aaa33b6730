// Live queries for what `#Predicate` says.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GatherKit

extension MetadataQuery {
    /// A query for what a predicate of Foundation is true of, not started yet.
    ///
    /// ```swift
    /// let query = try MetadataQuery(#Predicate { ($0.size ?? 0) > 10_000 && $0.tags?.contains("urgent") == true })
    /// ```
    ///
    /// The daemon evaluates it: the predicate is written in the language first, see ``gatherPredicate(_:)``.
    ///
    /// - Parameters:
    ///   - predicate: What has to be true of an item.
    ///   - scopes: Where to look; nowhere in particular means every container that this user may read.
    ///   - attributes: What is told of each item; the predicate may name others.
    ///   - sortKeys: The order of `results`; without, they stand as they came.
    ///   - batchingInterval: How long the daemon may hold changes back to merge them; zero sends each at once.
    ///   - clock: A `clock` of an earlier query for the same.
    ///   - socket: The daemon.
    /// - Throws: What of the predicate the language has no words for.
    public convenience init(
        _ predicate: Predicate<MetadataItem>, scopes: [SearchScope] = [],
        attributes: [Attribute] = MetadataQuery.defaultAttributes, sortedBy sortKeys: [SortKey] = [],
        batchingInterval: Duration = .zero, since clock: String? = nil, socket: DaemonSocket = .find()
    ) throws(PredicateConversionError) {
        self.init(
            predicate: try gatherPredicate(predicate), scopes: scopes, attributes: attributes, sortedBy: sortKeys,
            batchingInterval: batchingInterval, since: clock, socket: socket)
    }
}

/// A predicate of Foundation in the language of Gather, for anything that takes its text.
///
/// It is true of the same items, with the attributes that the daemon knows of them, but for this:
/// - What unwraps nothing (`item.size! > 10`) makes Swift fail; here it is nil, which no comparison but `!=` is true of.
/// - Arithmetic that overflows, division by zero and an index out of range make Swift stop; here they are errors of the
///   answer.
/// - `contains` and `starts(with:)` look for normalised code points, not for whole characters: what ends before a combining
///   mark that has no composed form with the character before it is found here only.
///
/// - Throws: What of the predicate the language has no words for.
public func gatherPredicate(_ predicate: Predicate<MetadataItem>) throws(PredicateConversionError) -> String {
    try Conversion.text(of: predicate)
}
