// What one-shot and live questions need of the engine.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import MetadataIndex
import NIOCore
import NIOPosix
import Varlink

extension Engine {
    /// The containers of these for which an answer may be wrong now; nil where there are none.
    func inexact(_ records: [ContainerRecord]) -> [String]? {
        let names = records.filter { !state(of: $0).isExact }.map(\.identifier)
        return names.isEmpty ? nil : names
    }

    /// Snapshots and plans for a question, all of this moment.
    func parts(of question: Question) throws(QueryError) -> [AnswerPart] {
        try resolve(question.scopeTexts).map { scoped in
            AnswerPart(
                plan: plan(question.predicate, for: scoped), snapshot: scoped.record.index.snapshot(),
                renderer: ItemRenderer(record: scoped.record, attributes: question.attributes, names: names))
        }
    }

    /// Does work that does not touch the engine: at once where it is short, else on another thread. `then` is called on
    /// the loop, at once where the work was short.
    func offLoop<Output: Sendable>(
        rows: Int, _ work: @escaping @Sendable () throws -> Output, then: @escaping (Result<Output, any Error>) -> Void
    ) {
        guard rows > Limits.rowsScannedOnLoop else { return then(Result { try work() }) }
        pool.runIfActive(eventLoop: loop, work).assumeIsolated().whenComplete { then($0) }
    }

    /// As above, for work that cannot fail and goes on with a value that it is given.
    func offLoop<Input: Sendable, Output: Sendable>(
        rows: Int, input: Input, _ work: @escaping @Sendable (inout Input) -> Output,
        then: @escaping (Output) -> Void
    ) {
        offLoop(rows: rows) {
            var input = input
            return work(&input)
        } then: { result in
            // It fails only when the pool has been shut down, and then nobody waits any more.
            if case .success(let output) = result { then(output) }
        }
    }

    /// Refuses a live query that would be one too many.
    func admitLiveQuery(of peer: PeerCredentials) throws(QueryError) {
        if subscriptions.count >= Limits.liveQueries {
            throw .limitExceeded(limit: "liveQueries", value: Int64(Limits.liveQueries))
        }
        if AccessPolicy.isOperator(peer) { return }
        let own = subscriptions.values.count { $0.peer.userID == peer.userID }
        if own >= Limits.liveQueriesPerUser {
            throw .limitExceeded(limit: "liveQueriesPerUser", value: Int64(Limits.liveQueriesPerUser))
        }
    }
}
