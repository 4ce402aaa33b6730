// What one-shot and live questions need of the engine.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix
import Varlink

extension Engine {
    /// The containers of these for which an answer may be wrong now, one that reads extended attributes or not; nil where
    /// there are none.
    func inexact(_ records: [ContainerRecord], extras: Bool, for caller: Credentials?) -> [String]? {
        let inexact = records.filter { record in
            !state(of: record).isExact || (extras && (record.extras != .filled || record.index.lacksExtras))
                || (caller != nil && record.lacksAccessLists)
        }
        let names = access.names(of: inexact, for: caller)
        return names.isEmpty ? nil : names
    }

    /// The plans of a question for containers, all of one moment. Complexity: one is compiled, and moved to the others, where
    /// nothing that it asks depends on the container.
    func plans(of question: Question, in scoped: [ScopedContainer], at now: Timestamp? = nil) -> [QueryPlan] {
        let now = now ?? clockFollower.now
        var compiled = question.compiled.flatMap { $0.isCompiled(for: now) ? $0.at(now) : nil }
        return scoped.map { plan(question, for: $0, at: now, like: &compiled) }
    }

    /// Snapshots for a question that is answered by these plans, all of this moment.
    func parts(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> [AnswerPart] {
        var last: ItemRenderer?
        return zip(scoped, plans).map { scoped, plan in
            let renderer =
                last?.moved(to: scoped.record)
                ?? ItemRenderer(
                    record: scoped.record, attributes: question.attributes, names: system.names, types: system.types,
                    caller: question.caller)
            last = renderer
            return AnswerPart(plan: plan, snapshot: scoped.record.index.snapshot(), renderer: renderer)
        }
    }

    func remove(_ subscription: Subscription) {
        if subscriptions.remove(subscription) { memory.tidySoon() }
    }
}
