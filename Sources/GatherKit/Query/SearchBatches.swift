// The answer to a question as it arrives.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The parts of an answer as they arrive. The daemon waits while they are not read.
package struct SearchBatches: AsyncSequence, Sendable {
    package typealias Element = FindResult
    package typealias Failure = GatherError

    private let replies: Session.Replies<QueryInterface.Find>

    init(_ replies: Session.Replies<QueryInterface.Find>) { self.replies = replies }

    package func makeAsyncIterator() -> Iterator { Iterator(replies: replies.makeAsyncIterator()) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: Session.Replies<QueryInterface.Find>.Iterator

        package mutating func next() async throws(GatherError) -> FindResult? { try await next(isolation: nil) }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> FindResult? {
            guard let reply = try await replies.next(isolation: actor) else { return nil }
            return FindResult(
                items: reply.items.map { MetadataItem($0) }, inexactContainers: reply.inexact ?? [], clock: reply.clock)
        }
    }
}

extension GatherClient {
    /// Asks a question, at once, and returns its answer as it arrives.
    package func batches(_ search: Search) async throws(GatherError) -> SearchBatches {
        SearchBatches(try await Session.connect(socket).callMore(QueryInterface.Find.self, search.findRequest))
    }
}

extension MetadataItem {
    /// Returns bytes that order items by these keys, as the daemon orders them.
    package func sortKey(_ keys: [SortKey]) -> [UInt8] { ResultArrangement(sortKeys: keys).sortKey(of: self) }
}
