// The answer to a question as it arrives.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

/// The parts of an answer as they arrive. The daemon waits while they are not read.
package struct SearchBatches: AsyncSequence, Sendable {
    package typealias Element = FindResult
    package typealias Failure = GatherError

    private let replies: Session.Replies<QueryInterface.Find>
    private let search: Search
    private let socket: DaemonSocket

    init(_ search: Search, of socket: DaemonSocket) async throws(GatherError) {
        replies = try await Session.connect(socket).callMore(QueryInterface.Find.self, search.findRequest)
        self.search = search
        self.socket = socket
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(replies: replies.makeAsyncIterator(), search: search, socket: socket)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var replies: Session.Replies<QueryInterface.Find>.Iterator
        fileprivate let search: Search
        fileprivate let socket: DaemonSocket

        package mutating func next() async throws(GatherError) -> FindResult? { try await next(isolation: nil) }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws(GatherError) -> FindResult? {
            guard let reply = try await replies.next(isolation: actor) else { return nil }
            try socket.reading { () throws(JSONError) in try search.check(reply) }
            return FindResult(
                items: reply.items.map { MetadataItem($0) },
                inexactContainers: [ContainerIdentifier](inexact: reply.inexact),
                clock: DaemonClock(rawValue: reply.clock))
        }
    }
}

extension GatherClient {
    /// Asks a question, at once, and returns its answer as it arrives.
    package func batches(_ search: Search) async throws(GatherError) -> SearchBatches {
        try await SearchBatches(search, of: socket)
    }
}

extension Search {
    /// Throws if an item lacks its path, and that was asked for.
    func check(_ reply: QueryInterface.Find.Reply) throws(JSONError) {
        guard attributes.contains(.path) else { return }
        if reply.items.contains(where: { $0.pathBytes == nil }) {
            throw JSONError(.missingField("path"), at: 0)
        }
    }
}

extension MetadataItem {
    /// Returns bytes that order items by these keys, as the daemon orders them.
    package func sortKey(_ keys: [SortKey]) -> [UInt8] { ResultArrangement(sortKeys: keys).sortKey(of: self) }
}
